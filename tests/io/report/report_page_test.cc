// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/io/report/report_page.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <regex>

#include "thenar/base/diagnostic.h"
#include "thenar/io/report/replay_bundle_internal.h"
#include "thenar/io/trace/trace_writer.h"

namespace thenar::report_page_test {
namespace {

namespace fs = std::filesystem;

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++found;
  return found;
}

/// The page without the texts of its scripts and its style, which are no markup.
std::string without_scripts(const std::string& page) {
  std::string out = page;
  for (const std::string tag : {"script", "style"}) {
    std::size_t from = 0;
    while ((from = out.find("<" + tag, from)) != std::string::npos) {
      const std::size_t begin = out.find('>', from) + 1;
      out.erase(begin, out.find("</" + tag, begin) - begin);
      from = begin;
    }
  }
  return out;
}

/// What is wrong with the nesting of tags, or an empty text.
std::string find_markup_fault(const std::string& page) {
  static const std::regex tag("<(/?)([a-z0-9]+)((?: [a-zA-Z-]+=\"[^\"<]*\")*)(/?)>");
  const std::string text = without_scripts(page.substr(page.find('>') + 1));  // without the DOCTYPE
  std::vector<std::string> open;
  std::size_t at = 0;
  for (std::size_t next; (next = text.find('<', at)) != std::string::npos;) {
    std::smatch match;
    const bool is_tag = std::regex_search(text.begin() + static_cast<std::ptrdiff_t>(next), text.end(), match, tag,
                                          std::regex_constants::match_continuous);
    if (!is_tag) return "no tag: " + text.substr(next, 60);
    at = next + match[0].str().size();
    if (match[1].length() > 0) {
      if (open.empty() || open.back() != match[2]) return "closes what is not open: " + match[0].str();
      open.pop_back();
    } else if (match[4].length() == 0) {
      open.push_back(match[2]);
    }
  }
  return open.empty() ? std::string() : "is left open: " + open.back();
}

class ReportPage : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::path(::testing::TempDir()) / (std::string("thenar_report_") + test->name());
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }

  static std::string contact_line(double t, const std::string& name, const std::string& mode, double force) {
    return fmt::format("{},{},{},0.001,{},0.3,0.4,0,0,0,0,0,0,0,0,0.5\n", t, name, mode, force);
  }

  /// A trace of 1 s: `a<b/c` is open, rolls from 0.25, slides from 0.5 (event at 0.45); `d/e` is there until 0.5.
  void write_trace() const {
    std::string states = "t,q.arm,q.cart,v.arm,v.cart,tau.arm,tau.cart\n", energy = fmt::format("{}\n", kEnergyHeader),
                contacts = fmt::format("{}\n", kContactHeader);
    for (const double t : {0.0, 0.25, 0.5, 0.75, 1.0}) {
      states += fmt::format("{},{},0.1,1,0,0.5,0\n", t, t);
      energy += fmt::format("{},{},0.75,{},0.5,{},{},0\n", t, t, t + 0.5, 0.25 + t, t);
      contacts += contact_line(t, "a<b/c", t < 0.25 ? "open" : t < 0.5 ? "roll" : "slide", 2 + t);
      if (t <= 0.5) contacts += contact_line(t, "\"d\"\"/e\"", "stick", 1);
    }
    write("states.csv", states);
    write("energy.csv", energy);
    write("contacts.csv", contacts);
    write("events.jsonl",
          "{\"t\":0.25,\"kind\":\"touch\",\"where\":\"a<b/c\",\"cause\":\"the gap closed\"}\n"
          "{\"t\":0.45,\"kind\":\"slip\",\"where\":\"a<b/c\",\"cause\":\"</td><script>alert(1)</script>\"}\n"
          "{\"t\":0.45,\"kind\":\"slip\",\"where\":\"\",\"cause\":\"\\\"quoted\\\" & more\"}\n");
    write(
        "summary.json",
        "{\"name\":\"grasp <b>\\\"1\\\"</b> & co\",\"status\":\"failed\",\"reason\":\"no answer at t < 1\",\"t_end\":1,"
        "\"wall_s\":0.5,\"integrator\":\"auto\",\"steps\":12,\"implicit_steps\":3,\"rejected_steps\":1,\"max_gap_"
        "violation\":1e-12,\"sliding_joints\":[\"cart\"],"
        "\"verdicts\":[{\"from\":0,\"to\":0.2,\"verdict\":\"unique\",\"determinate\":true},"
        "{\"from\":0.2,\"to\":0.25,\"verdict\":\"unique\",\"determinate\":true},"
        "{\"from\":0.25,\"to\":1,\"verdict\":\"several\",\"determinate\":false}]}");
  }

  /// The bodies of that trace: an arm that turns about z at the end of which something may touch, and a cart.
  void write_scene() const {
    write("scene.json",
          "{\"thenar\":1,\"name\":\"grasp\",\"planar\":false,\"bodies\":["
          "{\"name\":\"a<b\",\"parent\":\"world\",\"joint\":{\"type\":\"revolute\",\"name\":\"arm\",\"axis\":[0,0,1]},"
          "\"shapes\":[{\"shape\":{\"sphere\":0.5},\"pose\":{\"xyz\":[1,0,0],\"quaternion\":[1,0,0,0]}}]},"
          "{\"name\":\"c\",\"parent\":\"world\",\"joint\":{\"type\":\"prismatic\",\"name\":\"cart\",\"axis\":[1,0,0]},"
          "\"shapes\":[]}]}");
  }

  fs::path folder_;
};

TEST_F(ReportPage, RefusesASummaryThatLacksSomething) {
  write_trace();
  for (const char* summary :
       {"[]", "{}", "{\"name\":1}", "{\"name\":\"a\",\"status\":\"done\",\"reason\":\"\"}", "not JSON"}) {
    write("summary.json", summary);
    EXPECT_THROW(make_report(folder_), InputError) << summary;
  }
  fs::remove(folder_ / "summary.json");  // as after a kill
  EXPECT_NO_THROW(make_report(folder_));
}

TEST_F(ReportPage, IsWellFormedAndSelfContained) {
  write_trace();
  write_scene();
  std::string page = make_report(folder_);
  EXPECT_EQ(find_markup_fault(page), "");
  // The name of a namespace is no address to be loaded.
  const std::string name = "http://www.w3.org/1999/xhtml";
  for (std::size_t at; (at = page.find(name)) != std::string::npos;) page.erase(at, name.size());
  EXPECT_EQ(page.find("http"), std::string::npos);
  for (const char* part : {" src=", " href=", "url(", "@import", "fetch(", "import("}) {
    EXPECT_EQ(page.find(part), std::string::npos) << part;
  }
  EXPECT_TRUE(page.starts_with("<!DOCTYPE html>\n<html lang=\"en\">"));
}

TEST_F(ReportPage, TextsAreEscaped) {
  write_trace();
  const std::string page = make_report(folder_);
  EXPECT_EQ(count(page, "<script"), 2u);  // the numbers and the program
  EXPECT_EQ(page.find("alert(1)</script>"), std::string::npos);
  EXPECT_NE(page.find("<h1>grasp &lt;b&gt;&quot;1&quot;&lt;/b&gt; &amp; co</h1>"), std::string::npos);
  EXPECT_NE(page.find("no answer at t &lt; 1"), std::string::npos);
  EXPECT_NE(page.find("a&lt;b/c"), std::string::npos);
  EXPECT_NE(page.find("d&quot;/e"), std::string::npos);
  EXPECT_NE(page.find("&quot;quoted&quot; &amp; more"), std::string::npos);
}

TEST_F(ReportPage, CarriesTheMotionWhereBodiesAreKnown) {
  write_trace();
  EXPECT_EQ(make_report(folder_).find("id=\"motion\""), std::string::npos);
  write_scene();
  const std::string page = make_report(folder_);
  if (internal::kReplayParts.empty()) {
    EXPECT_NE(page.find("built without npm"), std::string::npos);
    return;
  }
  EXPECT_EQ(count(page, "<script"), 4u);  // the numbers, the page's program, the motion, the replay's program
  EXPECT_EQ(count(page, "<section id=\"replay\"></section>"), 1u);
  const std::size_t from = page.find("id=\"motion\">") + 12, to = page.find("</script>", from);
  const std::string motion = page.substr(from, to - from);
  EXPECT_EQ(motion.find_first_of("<>&"), std::string::npos);
  EXPECT_NE(motion.find("\"name\":\"a\\u003cb\""), std::string::npos);
}

TEST_F(ReportPage, TellsWhatHappened) {
  write_trace();
  const std::string page = make_report(folder_);
  EXPECT_NE(page.find("<p class=\"story\">"), std::string::npos);
  EXPECT_NE(page.find("The a&lt;b touches the c at 0.25 s, rolls until 0.45 s and slides until the end."),
            std::string::npos);
}

TEST_F(ReportPage, ASceneThatDoesNotFitIsAFault) {
  write_trace();
  write("scene.json",
        "{\"thenar\":1,\"name\":\"x\",\"planar\":false,\"bodies\":[{\"name\":\"box\",\"parent\":\"world\","
        "\"joint\":{\"type\":\"free\",\"name\":\"box\"},\"shapes\":[]}]}");
  try {
    make_report(folder_);
    ADD_FAILURE();
  } catch (const InputError& error) {
    EXPECT_EQ(error.message(), "expected the column 'q.box.x' of scene.json, found 'q.arm'");
    EXPECT_EQ(error.mark().line, 1);
  }
}

TEST_F(ReportPage, HasASegmentForEveryModeAndVerdict) {
  write_trace();
  const std::string page = make_report(folder_);
  EXPECT_EQ(count(page, "<g class=\"mode "), 4u);
  // The change from roll to slide is at the event, not at the row after it; the touch is at a row.
  EXPECT_EQ(count(page, "<g class=\"mode mode-open\" data-from=\"0\" data-to=\"0.25\""), 1u);
  EXPECT_EQ(count(page, "<g class=\"mode mode-roll\" data-from=\"0.25\" data-to=\"0.45\""), 1u);
  EXPECT_EQ(count(page, "<g class=\"mode mode-slide\" data-from=\"0.45\" data-to=\"1\""), 1u);
  EXPECT_EQ(count(page, "<g class=\"mode mode-stick\" data-from=\"0\" data-to=\"0.5\""), 1u);
  // Equal verdicts are joined.
  EXPECT_EQ(count(page, "<g class=\"verdict "), 2u);
  EXPECT_EQ(count(page, "verdict-unique\" data-from=\"0\" data-to=\"0.25\" data-word=\"unique\""), 1u);
  EXPECT_EQ(count(page, "data-from=\"0.25\" data-to=\"1\" data-word=\"several, not determinate\""), 1u);
}

TEST_F(ReportPage, HasARowAndAMarkForEveryEvent) {
  write_trace();
  const std::string page = make_report(folder_);
  EXPECT_EQ(count(page, "<tr data-t="), 3u);
  EXPECT_EQ(count(page, "data-kind=\"slip\""), 2u);
  EXPECT_EQ(count(page, "<g class=\"mark\""), 2u);  // the two slips are at one time
  EXPECT_NE(page.find("<title>touch at t = 0.25 s\na&lt;b/c: the gap closed</title>"), std::string::npos);
  EXPECT_NE(page.find("and 1 more until t = 0.45 s"), std::string::npos);
  EXPECT_EQ(count(page, "type=\"checkbox\""), 2u);
}

TEST_F(ReportPage, LinesHaveTheNumbersOfTheTrace) {
  write_trace();
  const std::string page = make_report(folder_);
  // Panels in their order; each series as x and y.
  EXPECT_NE(page.find("{\"from\":0,\"to\":1,\"panels\":[\n"
                      "[{\"x\":[0,0.25,0.5,0.75,1],\"y\":[2,2.25,2.5,2.75,3]},"),
            std::string::npos);
  // What is no longer near transmits no force, and has no gap.
  EXPECT_NE(page.find("{\"x\":[0,0.5,0.75,1],\"y\":[1,1,0,0]}"), std::string::npos);
  EXPECT_NE(page.find("{\"x\":[0,0.5],\"y\":[0.001,0.001]}"), std::string::npos);
  // Energy: kinetic t, potential 0.75, in layers 0.25 + t, work − dissipated t, switched t, so that it balances.
  EXPECT_NE(page.find("[{\"x\":[0,1],\"y\":[0,0]}]"), std::string::npos);
  // The cart slides and is not driven.
  EXPECT_EQ(count(page, "<small data-unit=\"rad\">"), 1u);
  EXPECT_EQ(count(page, "<small data-unit=\"m/s\">"), 2u);  // slip and the cart
  EXPECT_EQ(count(page, "<small data-unit=\"N m\">"), 1u);
}

TEST_F(ReportPage, EnergiesOfVersion02HaveAColumnLess) {
  write_trace();
  write("energy.csv", "t,kinetic,potential,work,dissipated,layers,switched\n0,1,2,0,0,0,0\n1,2,1,0,0,0,0\n");
  EXPECT_NO_THROW(make_report(folder_));
  write("energy.csv", "t,kinetic,potential\n0,1,2\n");
  EXPECT_THROW(make_report(folder_), InputError);
}

TEST_F(ReportPage, FlaggedStepsAreShown) {
  write_trace();
  write("summary.json",
        "{\"name\":\"a\",\"status\":\"done\",\"reason\":\"\",\"engine\":\"step\",\"wall_s\":1,\"integrator\":\"auto\","
        "\"steps\":100,\"implicit_steps\":0,\"rejected_steps\":0,\"max_gap_violation\":0,\"flagged_steps\":3,"
        "\"worst_grade\":1e-6,\"verdicts\":[]}");
  EXPECT_NE(make_report(folder_).find("<dd>3 steps</dd>"), std::string::npos);
}

TEST_F(ReportPage, BothRowsOfAJumpAreSeen) {
  write("states.csv", "t,q.a\n0,1\n0.5,1\n0.5,1\n1,1\n");
  write("contacts.csv", fmt::format("{}\n", kContactHeader) + contact_line(0, "a/b", "open", 0) +
                            contact_line(0.5, "a/b", "open", 0) + contact_line(0.5, "a/b", "roll", 3) +
                            contact_line(1, "a/b", "roll", 3));
  const std::string page = make_report(folder_);
  EXPECT_EQ(count(page, "mode-open\" data-from=\"0\" data-to=\"0.5\""), 1u);
  EXPECT_EQ(count(page, "mode-roll\" data-from=\"0.5\" data-to=\"1\""), 1u);
  EXPECT_NE(page.find("{\"x\":[0,0.5,0.5,1],\"y\":[0,0,3,3]}"), std::string::npos);
}

TEST_F(ReportPage, RowsOfAJumpAreToldApartByTheNumberOfPoints) {
  // One point before the impact, two after it: no name returns, and still the lines belong to two rows.
  write("states.csv", "t,q.a\n0,1\n0.5,1\n0.5,1\n1,1\n");
  write("contacts.csv", fmt::format("{}\n", kContactHeader) + contact_line(0, "a/b", "slide", 2) +
                            contact_line(0.5, "a/b", "slide", 2) + contact_line(0.5, "a/b#0", "stick", 3) +
                            contact_line(0.5, "a/b#1", "stick", 3) + contact_line(1, "a/b#0", "stick", 3) +
                            contact_line(1, "a/b#1", "stick", 3));
  const std::string page = make_report(folder_);
  EXPECT_NE(page.find("[{\"x\":[0,0.5,0.5,1],\"y\":[2,2,0,0]},\n{\"x\":[0,0.5,0.5,1],\"y\":[0,0,3,3]}"),
            std::string::npos);
}

TEST_F(ReportPage, ARowOfAJumpWithoutContactsDoesNotInterruptThem) {
  write("states.csv", "t,q.a\n0,1\n0,1\n1,1\n");
  write("contacts.csv",
        fmt::format("{}\n", kContactHeader) + contact_line(0, "a/b", "roll", 2) + contact_line(1, "a/b", "roll", 2));
  const std::string page = make_report(folder_);
  EXPECT_EQ(count(page, "<g class=\"mode mode-roll\" data-from=\"0\" data-to=\"1\""), 1u);
  EXPECT_NE(page.find("[{\"x\":[0,1],\"y\":[2,2]}]"), std::string::npos);
}

TEST_F(ReportPage, AContactThatReturnsHasAGapBetween) {
  write("states.csv", "t,q.a\n0,1\n1,1\n2,1\n");
  write("contacts.csv",
        fmt::format("{}\n", kContactHeader) + contact_line(0, "a/b", "open", 0) + contact_line(2, "a/b", "open", 0));
  const std::string page = make_report(folder_);
  EXPECT_EQ(count(page, "<g class=\"mode mode-open\""), 2u);
  EXPECT_NE(page.find("{\"x\":[0,0,2],\"y\":[0.001,null,0.001]}"), std::string::npos);
}

TEST_F(ReportPage, RunsWithoutContactsOrSummaryHaveOneToo) {
  write("states.csv", "t,q.a,v.a,tau.a\n0,1,2,3\n1,2,3,4\n2,3,4");  // killed
  const std::string page = make_report(folder_);
  EXPECT_EQ(find_markup_fault(page), "");
  EXPECT_NE(page.find("did not end by itself"), std::string::npos);
  EXPECT_NE(page.find("line that is cut"), std::string::npos);
  EXPECT_EQ(count(page, "class=\"row chart\""), 3u);
  EXPECT_EQ(count(page, "class=\"row mode\""), 0u);
  EXPECT_EQ(page.find("energy off by"), std::string::npos);
}

TEST_F(ReportPage, ATraceWithoutRowsIsNoFault) {
  write("states.csv", "t,q.a\n");
  write("contacts.csv", fmt::format("{}\n", kContactHeader));
  write("energy.csv", fmt::format("{}\n", kEnergyHeader));
  write("events.jsonl", "");
  EXPECT_EQ(find_markup_fault(make_report(folder_)), "");
}

TEST_F(ReportPage, StaysSmallForLongRuns) {
  constexpr int kRows = 60000, kContacts = 4;
  std::string states = "t,q.a,v.a\n", contacts = fmt::format("{}\n", kContactHeader), events;
  for (int i = 0; i < kRows; ++i) {
    const double t = 1e-3 * i, noise = std::sin(1e3 * t * t);
    states += fmt::format("{},{},{}\n", t, noise, -noise);
    for (int c = 0; c < kContacts; ++c) {
      contacts += contact_line(t, fmt::format("a/b#{}", c), i % 2 == 0 ? "roll" : "slide", 2 + noise);
    }
    if (i % 4 == 0) {
      events += fmt::format("{{\"t\":{},\"kind\":\"slip\",\"where\":\"a/b#0\",\"cause\":\"\"}}\n", t);
    }
  }
  write("states.csv", states);
  write("contacts.csv", contacts);
  write("events.jsonl", events);
  const std::string page = make_report(folder_);
  EXPECT_LT(page.size(), 8u << 20);
  EXPECT_EQ(count(page, "<tr data-t="), 5000u);
  EXPECT_NE(page.find("10000 events more are in events.jsonl"), std::string::npos);
  EXPECT_NE(page.find("change too often to be drawn"), std::string::npos);
  // All modes last equally long; what is drawn still covers the run.
  EXPECT_GT(count(page, "<g class=\"mode "), 4000u * kContacts - 10);
  EXPECT_LE(count(page, "<g class=\"mode "), 8000u * kContacts);
}

TEST_F(ReportPage, IsWrittenBesideTheTraceAndReplacesAnOlderOne) {
  write_trace();
  write("report.html", "old");
  EXPECT_EQ(write_report(folder_), folder_ / "report.html");
  std::ifstream file(folder_ / "report.html", std::ios::binary);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), make_report(folder_ / "states.csv"));
}

TEST_F(ReportPage, FaultsAreTold) {
  EXPECT_THROW(write_report(folder_), InputError);  // no trace
  write_trace();
  fs::create_directories(folder_ / "report.html");
  EXPECT_THROW(write_report(folder_), std::runtime_error);
  write("energy.csv", "t,kinetic\n0,1\n");
  EXPECT_THROW(make_report(folder_), InputError);
  fs::remove(folder_ / "energy.csv");
  write("contacts.csv", fmt::format("{}\n", kContactHeader) + contact_line(0.1, "a/b", "roll", 1));
  try {
    make_report(folder_);
    ADD_FAILURE();
  } catch (const InputError& error) {
    EXPECT_NE(error.message().find("a line at t = 0.1, but no such row in states.csv"), std::string::npos);
  }
}

}  // namespace
}  // namespace thenar::report_page_test
