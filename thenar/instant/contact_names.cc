// SPDX-License-Identifier: BSD-3-Clause
#include "thenar/instant/contact_names.h"

#include <fmt/format.h>

#include <algorithm>

namespace thenar {

/// Its number so far, or the lowest that is free.
std::size_t ContactNames::find_number(Pair& pair, const Key& key) {
  auto place = std::find(pair.numbers.begin(), pair.numbers.end(), std::optional(key));
  if (place == pair.numbers.end()) place = std::find(pair.numbers.begin(), pair.numbers.end(), std::nullopt);
  if (place == pair.numbers.end()) place = pair.numbers.insert(place, std::nullopt);
  *place = key;
  return static_cast<std::size_t>(place - pair.numbers.begin());
}

std::vector<std::string> ContactNames::update(const std::vector<FoundContact>& places) {
  for (auto& [bodies, pair] : pairs_) {
    for (std::optional<Key>& number : pair.numbers) {
      const bool lasts = number && std::any_of(places.begin(), places.end(),
                                               [&](const auto& place) { return key_of(place) == *number; });
      if (!lasts) number.reset();
    }
  }
  for (const FoundContact& place : places) {
    Pair& pair = pairs_[{place.body_A.value(), place.body_B.value()}];
    find_number(pair, key_of(place));
    const auto used =
        std::count_if(pair.numbers.begin(), pair.numbers.end(), [](const auto& n) { return n.has_value(); });
    pair.has_had_several = pair.has_had_several || used > 1;
  }
  std::vector<std::string> out;
  for (const FoundContact& place : places) out.push_back(find(place));
  return out;
}

std::string ContactNames::find(const FoundContact& place) {
  Pair& pair = pairs_[{place.body_A.value(), place.body_B.value()}];
  const std::string name = model_->body(place.body_A).name + "/" + model_->body(place.body_B).name;
  return pair.has_had_several ? fmt::format("{}#{}", name, find_number(pair, key_of(place))) : name;
}

}  // namespace thenar
