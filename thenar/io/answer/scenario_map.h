// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Maps of files: two entries of a scenario, or of a bare quasistatic problem, vary. A point is what the physics of the
/// map says there: the instant at the start of the scenario, or the quasistatic motion.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "thenar/io/scenario/scenario_reader.h"
#include "thenar/io/text/units.h"
#include "thenar/study/map_point.h"

namespace thenar {

/// An axis with the unit in which pictures show it.
struct WrittenAxis {
  MapAxis axis{};                        ///< SI; its name is as written: a parameter, or a path as of --set
  std::string unit{};                    ///< empty: none is known
  double unit_size = 1;                  ///< SI
  std::optional<Dimension> dimension{};  ///< if a unit was written

  /// A value of the axis in its unit.
  double shown(double value) const { return value / unit_size; }
};

/// Reads "P=a:b:n": n values of P from a to b, which may have units, as "angle=0 deg:90 deg:50". Throws InputError;
/// `option` is what messages call the place of the text.
WrittenAxis parse_map_axis(std::string_view text, const std::string& option);

/// What a map computes at its points.
struct MapPhysics {
  std::string settings;                                     ///< tells maps apart that differ in them
  std::function<std::string(ScenarioDocument&)> find_name;  ///< throws InputError
  std::function<MapPoint(ScenarioDocument&)> solve;  ///< throws std::runtime_error where there is nothing to solve
};
MapPhysics instant_physics(InstantOptions options = {});
MapPhysics quasistatic_physics(QuasistaticOptions options = {});

/// Points for which there is no instant, since an impact comes first or bodies overlap. Shared by threads.
class RefusedPoints {
 public:
  void add(PlotPoint place, const std::string& reason);

  std::size_t count() const { return count_; }
  /// The first of them in the order of the map, and why.
  PlotPoint place() const { return place_; }
  const std::string& reason() const { return reason_; }

 private:
  std::mutex mutex_;
  std::size_t count_ = 0;
  PlotPoint place_;
  std::string reason_;
};

/// An entry that a map varies.
struct MapEntry {
  std::string path{};  ///< as of --set
  std::string unit{};  ///< of the SI; empty: none was written

  /// What sets the entry to a value: "path=value unit". With the unit, readers find out if it is none that they want.
  std::string assign(double value) const;
};

/// A file ready to be mapped.
class ScenarioMap {
 public:
  /// Finds the two entries and builds the file where the map begins. Throws InputError.
  ScenarioMap(ScenarioDocument document, WrittenAxis x, WrittenAxis y, MapPhysics physics = instant_physics());

  const std::string& name() const { return name_; }
  const WrittenAxis& x() const { return x_; }
  const WrittenAxis& y() const { return y_; }

  /// Lines that tell this map from those of other scenarios or other entries, for MapFile.
  std::vector<std::string> identity() const;

  /// Functions that build the file at a point and solve it. Points where there is nothing to solve are undecided
  /// without modes, and counted. They throw InputError where an entry does not allow a value.
  MapFunctionMaker make_functions() const;

  const RefusedPoints& refused() const { return *refused_; }

 private:
  ScenarioDocument document_;
  WrittenAxis x_, y_;
  MapEntry x_entry_, y_entry_;
  MapPhysics physics_;
  std::string name_;
  std::uint64_t fingerprint_ = 0;
  std::shared_ptr<RefusedPoints> refused_ = std::make_shared<RefusedPoints>();
};

}  // namespace thenar
