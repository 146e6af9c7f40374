// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/io/report/report_story_internal.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numbers>
#include <set>

#include "thenar/io/trace/trace_scene.h"
#include "thenar/spatial/rotation.h"

namespace thenar::internal {
namespace {

constexpr std::size_t kMostPairs = 6;     // Told one by one.
constexpr std::size_t kMostClauses = 6;   // Of a pair; more are summed up.
constexpr std::size_t kMostObjects = 3;   // Whose end is told.
constexpr std::size_t kMostVerdicts = 4;  // Stretches of verdicts that are told one by one.
constexpr double kStill = 1e-6;           // m and rad: less is no motion.
constexpr double kShortestHold = 0.1;     // Of the run: what links hold for less is not told by itself.

std::string seconds(double t) { return fmt::format("{:.4g} s", t); }

/// "the box"; names of links stand by themselves.
std::string with_article(const std::string& name) { return is_link_name(name) ? name : "the " + name; }

std::string capitalized(std::string text) {
  if (text.starts_with("the ")) text[0] = 'T';
  return text;
}

/// "a", "a and b", "a, b and c".
std::string join(const std::vector<std::string>& parts) {
  std::string out;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) out += i + 1 == parts.size() ? " and " : ", ";
    out += parts[i];
  }
  return out;
}

std::string times(std::size_t count) {
  return count == 1 ? "once" : count == 2 ? "twice" : fmt::format("{} times", count);
}

// Pairs of bodies.

/// What the contacts of two bodies do together, in the order of time.
struct Pair {
  std::string A, B;
  std::vector<ReportSegment> phases;            ///< stick, roll, slide or spin; nothing where they are apart
  std::vector<std::pair<double, double>> hits;  ///< times of impacts and speeds, NaN if unknown
  std::vector<double> ends_of_bouncing;
};

/// The bodies of a contact, "A/B" or "A/B#k".
std::pair<std::string, std::string> split_contact(const std::string& name) {
  const std::string pair(pair_of_contact(name));
  const std::size_t slash = pair.find('/');
  if (slash == std::string::npos) return {pair, ""};
  return {pair.substr(0, slash), pair.substr(slash + 1)};
}

/// If one point of a pair slides, the pair slides.
int strength(const std::string& mode) {
  constexpr std::array kOrder{"stick", "roll", "spin", "slide"};
  return static_cast<int>(std::find(kOrder.begin(), kOrder.end(), mode) - kOrder.begin());
}

/// Segments of all points of a pair as those of the pair.
std::vector<ReportSegment> merge_phases(const std::vector<const ReportSegment*>& segments) {
  std::set<double> bounds;
  for (const ReportSegment* s : segments) bounds.insert({s->from, s->to});
  std::vector<ReportSegment> out;
  for (auto bound = bounds.begin(); bound != bounds.end() && std::next(bound) != bounds.end(); ++bound) {
    const double from = *bound, to = *std::next(bound);
    const ReportSegment* strongest = nullptr;
    for (const ReportSegment* s : segments) {
      if (s->from > from || s->to < to) continue;
      if (!strongest || strength(s->word) > strength(strongest->word)) strongest = s;
    }
    if (!strongest) continue;
    const bool goes_on = !out.empty() && out.back().to == from && out.back().word == strongest->word;
    if (goes_on) out.back().to = to;
    if (!goes_on) out.push_back({from, to, strongest->word});
  }
  return out;
}

/// The speed of approach of an impact, m/s; NaN if the file does not have it.
double read_speed(const TraceEvent& event) {
  const auto before = event.numbers.find("before");
  return before == event.numbers.end() ? std::nan("") : -before->second;
}

/// Pairs that touch, in the order in which they first do.
std::vector<Pair> find_pairs(const ReportData& data) {
  std::map<std::pair<std::string, std::string>, std::vector<const ReportSegment*>> held;
  std::map<std::pair<std::string, std::string>, Pair> found;
  for (const ReportContact& contact : data.contacts) {
    auto& segments = held[split_contact(contact.name)];
    for (const ReportSegment& s : contact.segments) {
      if (s.word != "open" && s.to > s.from) segments.push_back(&s);
    }
  }
  for (const auto& [names, segments] : held) {
    found[names] = {names.first, names.second, merge_phases(segments), {}, {}};
  }
  for (const TraceEvent& event : data.events) {
    const auto pair = found.find(split_contact(event.where));
    if (pair == found.end()) continue;
    auto& hits = pair->second.hits;
    if (event.kind == "zeno") pair->second.ends_of_bouncing.push_back(event.t);
    if (event.kind != "impact" || (!hits.empty() && hits.back().first == event.t)) continue;
    hits.emplace_back(event.t, read_speed(event));
  }
  std::vector<Pair> out;
  for (auto& [names, pair] : found) {
    if (!pair.phases.empty() || !pair.hits.empty()) out.push_back(std::move(pair));
  }
  const auto start = [](const Pair& pair) {
    const double phase = pair.phases.empty() ? INFINITY : pair.phases.front().from;
    return pair.hits.empty() ? phase : std::min(phase, pair.hits.front().first);
  };
  std::stable_sort(out.begin(), out.end(), [&](const Pair& a, const Pair& b) { return start(a) < start(b); });
  return out;
}

const char* verb(const std::string& mode) {
  return mode == "stick" ? "rests" : mode == "roll" ? "rolls" : mode == "spin" ? "spins" : "slides";
}

const char* preposition(const Pair& pair) { return is_link_name(pair.B) ? "against" : "on"; }

/// "on the table", "against hand.tip".
std::string place(const Pair& pair) { return fmt::format("{} {}", preposition(pair), with_article(pair.B)); }

/// "strikes it at 0.3 s with 0.31 m/s".
std::string strike(const std::pair<double, double>& hit, const std::string& what) {
  std::string out = fmt::format("strikes {} at {}", what, seconds(hit.first));
  if (!std::isnan(hit.second)) out += fmt::format(" with {:.3g} m/s", hit.second);
  return out;
}

/// What the pair does, clause by clause in the order of time.
std::vector<std::string> list_clauses(const Pair& pair, const AxisRange& time) {
  std::vector<std::string> out;
  std::size_t hit = 0;
  const auto what = [&] { return out.empty() ? with_article(pair.B) : std::string("it"); };
  const auto strike_until = [&](double t) {
    for (; hit < pair.hits.size() && pair.hits[hit].first <= t; ++hit) out.push_back(strike(pair.hits[hit], what()));
  };
  double end = time.lo;
  for (const ReportSegment& phase : pair.phases) {
    const std::size_t before = hit;
    strike_until(phase.from);
    const bool is_struck = hit > before && pair.hits[hit - 1].first == phase.from;
    const bool begins = phase.from > end || (phase.from == end && out.empty());
    if (begins && !is_struck && phase.from > time.lo) {
      out.push_back(fmt::format("touches {} at {}", what(), seconds(phase.from)));
    }
    std::string clause = verb(phase.word);
    if (out.empty()) clause += " " + place(pair);
    const bool is_whole = phase.from <= time.lo && phase.to >= time.hi;
    clause += is_whole ? " throughout" : phase.to >= time.hi ? " until the end" : " until " + seconds(phase.to);
    out.push_back(clause);
    end = phase.to;
    const auto next = std::find_if(pair.phases.begin(), pair.phases.end(),
                                   [&](const ReportSegment& other) { return other.from >= end && &other != &phase; });
    const bool is_left = end < time.hi && (next == pair.phases.end() || next->from > end);
    if (is_left) out.emplace_back("leaves it");
  }
  strike_until(INFINITY);
  return out;
}

/// "slides for 0.1 s", in all.
std::vector<std::string> sum_phases(const Pair& pair) {
  std::vector<std::string> out;
  for (const char* mode : {"slide", "roll", "spin", "stick"}) {
    double total = 0;
    for (const ReportSegment& phase : pair.phases) total += phase.word == mode ? phase.to - phase.from : 0;
    if (total > 0) out.push_back(fmt::format("{} for {:.3g} s", verb(mode), total));
  }
  return out;
}

std::string sum_up(const Pair& pair) {
  std::vector<std::string> parts;
  if (!pair.hits.empty()) {
    std::string text = fmt::format("strikes {} {}", with_article(pair.B), times(pair.hits.size()));
    text += pair.hits.size() > 1
                ? fmt::format(" between {} and {}", seconds(pair.hits.front().first), seconds(pair.hits.back().first))
                : " at " + seconds(pair.hits.front().first);
    double fastest = 0;
    for (const auto& hit : pair.hits) fastest = std::fmax(fastest, hit.second);
    if (fastest > 0) text += fmt::format(" with at most {:.3g} m/s", fastest);
    parts.push_back(text);
  }
  std::vector<std::string> phases = sum_phases(pair);
  if (!phases.empty() && pair.hits.empty()) {
    phases.front().insert(phases.front().find(' '), " " + place(pair));
  }
  parts.insert(parts.end(), phases.begin(), phases.end());
  if (!phases.empty()) parts.back() += " in all";
  return join(parts);
}

std::string tell_pair(const Pair& pair, const AxisRange& time) {
  const std::vector<std::string> clauses = list_clauses(pair, time);
  std::string out = capitalized(with_article(pair.A)) + " ";
  out += clauses.size() <= kMostClauses ? join(clauses) : sum_up(pair);
  if (!pair.ends_of_bouncing.empty()) {
    out += fmt::format("; its bouncing ends at {}", seconds(pair.ends_of_bouncing.back()));
  }
  return out + ".";
}

// What links of hands hold.

/// A stretch of time in which links hold an object and nothing else touches it.
struct Hold {
  const StoryBody* body = nullptr;
  double from = 0, to = 0;           ///< s
  std::vector<const Pair*> pairs{};  ///< with these links
};

bool is_in_touch(const Pair& pair, double from, double to) {
  return std::any_of(pair.phases.begin(), pair.phases.end(),
                     [&](const ReportSegment& phase) { return phase.from <= from && phase.to >= to; });
}

/// The longest such stretch; its length is 0 if there is none.
Hold find_hold(const StoryBody& body, const std::vector<Pair>& pairs) {
  std::set<double> bounds;
  for (const Pair& pair : pairs) {
    for (const ReportSegment& phase : pair.phases) bounds.insert({phase.from, phase.to});
  }
  Hold longest, now;
  for (auto bound = bounds.begin(); bound != bounds.end() && std::next(bound) != bounds.end(); ++bound) {
    const double from = *bound, to = *std::next(bound);
    bool by_links = false, by_others = false;
    for (const Pair& pair : pairs) {
      if ((pair.A != body.name && pair.B != body.name) || !is_in_touch(pair, from, to)) continue;
      (is_link_name(pair.B) ? by_links : by_others) = true;
    }
    const bool is_held = by_links && !by_others;
    now = !is_held ? Hold() : now.to == from && now.to > now.from ? Hold{&body, now.from, to} : Hold{&body, from, to};
    if (now.to - now.from > longest.to - longest.from) longest = now;
  }
  for (const Pair& pair : pairs) {
    const bool holds = pair.A == body.name && is_link_name(pair.B) &&
                       std::any_of(pair.phases.begin(), pair.phases.end(), [&](const ReportSegment& phase) {
                         return std::min(phase.to, longest.to) > std::max(phase.from, longest.from);
                       });
    if (holds) longest.pairs.push_back(&pair);
  }
  return longest;
}

/// What a pair does for most of a stretch of time: "rolls".
std::string find_main_verb(const Pair& pair, double from, double to) {
  std::map<std::string, double> lengths;
  for (const ReportSegment& phase : pair.phases) {
    const double length = std::min(phase.to, to) - std::max(phase.from, from);
    if (length > 0) lengths[verb(phase.word)] += length;
  }
  const auto longest = std::max_element(lengths.begin(), lengths.end(),
                                        [](const auto& a, const auto& b) { return a.second < b.second; });
  return longest == lengths.end() ? "rests" : longest->first;
}

/// Where a body was at a time, or a little before.
const Pose<double>& find_pose(const StoryBody& body, double t) {
  const auto after = std::upper_bound(body.way.begin(), body.way.end(), t,
                                      [](double time, const auto& entry) { return time < entry.first; });
  return after == body.way.begin() ? body.way.front().second : std::prev(after)->second;
}

/// "it turns by 90° about y and goes as far as 0.05 m", of a body whose way is known.
std::string tell_way(const Hold& hold) {
  if (hold.body->way.empty()) return "";
  const Pose<double>& start = find_pose(*hold.body, hold.from);
  double farthest = 0;
  for (const auto& [t, pose] : hold.body->way) {
    if (t >= hold.from && t <= hold.to) farthest = std::max(farthest, (pose.p - start.p).norm());
  }
  std::vector<std::string> parts;
  std::string turn = describe_turn(find_pose(*hold.body, hold.to).R * start.R.transpose());
  if (!turn.empty()) parts.push_back("turns" + turn.substr(std::string_view("turned").size()));
  if (farthest > kStill) parts.push_back(fmt::format("goes as far as {:.3g} m", farthest));
  return parts.empty() ? "" : "it " + join(parts);
}

/// "From 1.2 s to 4 s the peg is held by hand.thumb_3 and hand.index_3 alone: it rolls on both, …"
std::string tell_hold(const Hold& hold, const AxisRange& time) {
  std::vector<std::string> links;
  std::vector<std::pair<std::string, std::vector<std::string>>> groups;
  for (const Pair* pair : hold.pairs) {
    links.push_back(pair->B);
    const std::string action = find_main_verb(*pair, hold.from, hold.to);
    auto group = std::find_if(groups.begin(), groups.end(), [&](const auto& g) { return g.first == action; });
    if (group == groups.end()) group = groups.insert(groups.end(), {action, {}});
    group->second.push_back(pair->B);
  }
  const bool from_start = hold.from <= time.lo, to_end = hold.to >= time.hi;
  const std::string when = from_start && to_end ? "Throughout"
                           : from_start         ? "Until " + seconds(hold.to)
                           : to_end             ? "From " + seconds(hold.from) + " on"
                                                : "From " + seconds(hold.from) + " to " + seconds(hold.to);
  const std::string way = tell_way(hold);
  std::string out = fmt::format("{} {} is held by {} alone", when, with_article(hold.body->name), join(links));
  if (!way.empty()) out += ": " + way;
  std::vector<std::string> deeds;
  for (const auto& [action, bodies] : groups) deeds.push_back(fmt::format("{} on {}", action, join(bodies)));
  if (groups.size() > 1) return out + fmt::format(". Most of that time it {}.", join(deeds));
  return out +
         fmt::format(". Most of that time it {} on {}.", groups.front().first, links.size() > 1 ? "all of them" : "it");
}

/// How often links that hold an object strike it, in all: they are not told one by one if that would be long.
std::string tell_strikes(const Hold& hold) {
  std::size_t count = 0;
  double fastest = 0;
  for (const Pair* pair : hold.pairs) {
    count += pair->hits.size();
    for (const auto& hit : pair->hits) fastest = std::fmax(fastest, hit.second);
  }
  if (count == 0) return "";
  std::string out = fmt::format("These links strike it {} in all", times(count));
  if (fastest > 0) out += fmt::format(", with at most {:.3g} m/s", fastest);
  return out + ".";
}

/// Joints that struck, met or left stops.
std::string tell_stops(const ReportData& data) {
  std::map<std::string, std::pair<std::size_t, double>> met;  // Number of times, the first of them.
  for (const TraceEvent& event : data.events) {
    const bool is_stop =
        event.kind == "limit_on" || (event.kind == "impact" && event.where.find('/') == std::string::npos);
    if (!is_stop) continue;
    auto& [count, first] = met.try_emplace(event.where, 0, event.t).first->second;
    ++count;
  }
  if (met.empty()) return "";
  if (met.size() > 3) {
    std::size_t count = 0;
    for (const auto& [joint, stop] : met) count += stop.first;
    return fmt::format("{} joints meet their stops, {} in all.", met.size(), times(count));
  }
  std::vector<std::string> parts;
  for (const auto& [joint, stop] : met) {
    parts.push_back(fmt::format("{} meets a stop {}{}", joint, stop.first > 1 ? times(stop.first) + ", first " : "",
                                "at " + seconds(stop.second)));
  }
  return join(parts) + ".";
}

std::string name_verdict(const std::string& verdict) {
  return verdict == "unique_motion" ? "unique in motion but not in forces" : verdict;
}

/// What was known of the motion; whether it was determinate does not matter here.
std::string tell_verdicts(const ReportData& data) {
  std::vector<ReportSegment> stretches;
  std::map<std::string, double> lengths;
  for (const ReportSegment& s : data.verdicts) {
    lengths[s.word] += s.to - s.from;
    if (stretches.empty() || stretches.back().word != s.word) stretches.push_back(s);
    stretches.back().to = s.to;
  }
  if (stretches.empty()) return "";
  std::vector<std::string> parts;
  if (stretches.size() <= kMostVerdicts) {
    for (const ReportSegment& s : stretches) {
      const bool is_last = &s == &stretches.back();
      const std::string until = stretches.size() == 1 ? "throughout"
                                : is_last             ? "until the end"
                                                      : "until " + seconds(s.to);
      parts.push_back(fmt::format("{} {}", name_verdict(s.word), until));
    }
  } else {
    for (const auto& [word, length] : lengths) {
      parts.push_back(fmt::format("{} for {:.3g} s in all", name_verdict(word), length));
    }
  }
  return "The verdict is " + join(parts) + ".";
}

/// What holds an object in the end: "rests on the table", "rolls against one.tip and two.tip".
std::vector<std::string> list_last_contacts(const std::string& name, const std::vector<Pair>& pairs,
                                            const AxisRange& time) {
  std::vector<std::pair<std::string, std::vector<std::string>>> groups;  // What it does, and with which bodies.
  for (const Pair& pair : pairs) {
    if (pair.A != name || pair.phases.empty() || pair.phases.back().to < time.hi) continue;
    const std::string action = fmt::format("{} {}", verb(pair.phases.back().word), preposition(pair));
    auto group = std::find_if(groups.begin(), groups.end(), [&](const auto& g) { return g.first == action; });
    if (group == groups.end()) group = groups.insert(groups.end(), {action, {}});
    group->second.push_back(with_article(pair.B));
  }
  std::vector<std::string> out;
  for (const auto& [action, bodies] : groups) out.push_back(fmt::format("{} {}", action, join(bodies)));
  return out;
}

std::string tell_end(const StoryBody& body, const std::vector<Pair>& pairs, const AxisRange& time) {
  const double way = (body.last.p - body.first.p).norm();
  const std::string turn = describe_turn(body.last.R * body.first.R.transpose());
  std::vector<std::string> parts;
  if (way <= kStill && turn.empty()) {
    parts.emplace_back("is where it began");
  } else {
    parts.push_back(way <= kStill ? "is where it began" : fmt::format("is {:.3g} m from where it began", way));
    if (!turn.empty()) parts.back() += ", " + turn;
  }
  const std::vector<std::string> contacts = list_last_contacts(body.name, pairs, time);
  std::string out = parts.front();
  if (!contacts.empty()) out += (turn.empty() ? " and " : ", and ") + join(contacts);
  return fmt::format("{} {}", with_article(body.name), out);
}

/// The joint that is farthest from where it began; those that slide count where none turns.
std::string tell_joints(const std::vector<StoryJoint>& joints) {
  const StoryJoint* farthest = nullptr;
  const auto way = [](const StoryJoint& joint) { return std::abs(joint.last - joint.first); };
  for (const StoryJoint& joint : joints) {
    if (way(joint) <= kStill) continue;
    const bool is_first = !farthest || (joint.is_angle && !farthest->is_angle);
    if (is_first || (joint.is_angle == farthest->is_angle && way(joint) > way(*farthest))) farthest = &joint;
  }
  if (!farthest) return "";
  const auto value = [&](double x) {
    const std::string sign = x < 0 ? "−" : "";
    return farthest->is_angle ? fmt::format("{}{:.3g}°", sign, std::abs(x) * 180 / std::numbers::pi)
                              : fmt::format("{}{:.3g} m", sign, std::abs(x));
  };
  return fmt::format("Of the joints {} ends farthest from its start, at {} after {}.", farthest->name,
                     value(farthest->last), value(farthest->first));
}

}  // namespace

std::string describe_turn(const Matrix3<double>& R) {
  const Vec3<double> phi = rotation_vector_from_quaternion(quaternion_from_rotation(R));
  const double angle = std::sqrt(dot(phi, phi));
  if (angle <= kStill) return "";
  const Vec3<double> axis = phi * (1 / angle);
  const std::array<double, 3> parts{axis.x, axis.y, axis.z};
  const double degrees = angle * 180 / std::numbers::pi;
  constexpr double kAlong = 0.999;  // Within 2.6° of an axis.
  for (std::size_t i = 0; i < 3; ++i) {
    if (std::abs(parts[i]) < kAlong) continue;
    return fmt::format("turned by {:.3g}° about {}{}", degrees, parts[i] < 0 ? "−" : "", "xyz"[i]);
  }
  std::vector<std::string> numbers;
  for (const double x : parts) {
    const double rounded = std::round(100 * x) / 100;
    numbers.push_back(fmt::format("{}{:.2g}", rounded < 0 ? "−" : "", std::abs(rounded)));
  }
  return fmt::format("turned by {:.3g}° about ({})", degrees, fmt::join(numbers, ", "));
}

std::string tell_story(const ReportData& data, const std::vector<StoryBody>& objects,
                       const std::vector<StoryJoint>& joints) {
  std::vector<std::string> sentences;
  const std::vector<Pair> pairs = find_pairs(data);
  std::set<const Pair*> told;  // Together with others.
  for (std::size_t i = 0; i < std::min(objects.size(), kMostObjects); ++i) {
    const Hold hold = find_hold(objects[i], pairs);
    if (hold.to - hold.from <= kShortestHold * (data.time.hi - data.time.lo)) continue;
    sentences.push_back(tell_hold(hold, data.time));
    const bool is_long = std::any_of(hold.pairs.begin(), hold.pairs.end(), [&](const Pair* pair) {
      return list_clauses(*pair, data.time).size() > kMostClauses;
    });
    if (!is_long) continue;
    sentences.push_back(tell_strikes(hold));
    told.insert(hold.pairs.begin(), hold.pairs.end());
  }
  std::size_t count = 0;
  for (const Pair& pair : pairs) {
    if (!told.contains(&pair) && count++ < kMostPairs) sentences.push_back(tell_pair(pair, data.time));
  }
  if (count > kMostPairs) sentences.push_back(fmt::format("{} more pairs of bodies touch.", count - kMostPairs));
  if (data.has_contacts && pairs.empty()) sentences.emplace_back("Nothing touches.");
  sentences.push_back(tell_stops(data));
  sentences.push_back(tell_verdicts(data));
  if (objects.empty()) sentences.push_back(tell_joints(joints));
  std::vector<std::string> ends;
  for (std::size_t i = 0; i < std::min(objects.size(), kMostObjects); ++i) {
    ends.push_back(tell_end(objects[i], pairs, data.time));
  }
  if (!ends.empty()) {
    std::string end = "At the end ";
    for (std::size_t i = 0; i < ends.size(); ++i) end += (i > 0 ? "; " : "") + ends[i];
    sentences.push_back(end + ".");
  }
  std::string out;
  for (const std::string& sentence : sentences) {
    if (!sentence.empty()) out += (out.empty() ? "" : " ") + sentence;
  }
  return out;
}

}  // namespace thenar::internal
