// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// @file
/// Measured tosses of a cube on a table, their prediction by a run, and how far apart the two are (docs/validation.md).

#include <Eigen/Geometry>
#include <string>
#include <vector>

#include "thenar/io/scenario/scenario_reader.h"
#include "thenar/scenario/scenario.h"
#include "thenar/spatial/decompositions.h"

namespace thenar {

inline constexpr double kCubeWidth = 0.1048;     // m
inline constexpr double kCubeMass = 0.37;        // kg
inline constexpr double kFrameTime = 1.0 / 148;  // s
inline constexpr double kTrackedScale = 0.978;   // tracked lengths over true ones, by the height of the cube at rest

struct CubeFrame {
  Eigen::Vector3d position;     // of the centre, m
  Eigen::Quaterniond rotation;  // body to world
  Eigen::Vector3d velocity;     // m/s, world
  Eigen::Vector3d spin;         // rad/s, world

  /// Of the lowest corner, m.
  double calc_lowest() const;
};

struct Toss {
  int number = 0;
  std::vector<CubeFrame> frames;  // kFrameTime apart
};

/// All tosses, lengths and velocities divided by `scale`; empty without the data.
std::vector<Toss> read_tosses(double scale);

/// Every third toss, in the order of their numbers: those that parameters are fitted to. The others judge them.
std::vector<Toss> select_training(const std::vector<Toss>& tosses);
std::vector<Toss> select_test(const std::vector<Toss>& tosses);

/// How a run is to predict a toss.
struct TossModel {
  double friction = 0.18, restitution = 0.125;
  double inertia = 0.00081;  // kg m², about any axis through the centre of mass
  double offset = 0;         // m, of the centre of mass from the middle of the cube along its z axis
  ImpactOptions impact{};
  double tolerance = 1e-6;
};

/// Where a prediction starts. The flight are the frames in which the cube is too high to touch the table, whatever its
/// rotation; its velocities are those of free fall of the centre of mass, by least squares, and the mean spin.
enum class TossStart {
  first_frame,    ///< pose and velocities of the first frame
  flight,         ///< pose of the first frame, velocities of the flight
  before_contact  ///< pose of the last frame of the flight, velocities of the flight; frames before it are left out
};
const char* to_string(TossStart start);

/// The toss with the state to start from in its first frame; as it is where the flight has fewer than five frames.
Toss prepare_start(const Toss& toss, TossStart start, double offset = 0);

struct TossPrediction {
  std::vector<CubeFrame> frames;  // one for each measured one; of a run that failed, the last state is held
  std::string failure;            // empty: the run was done
  double deepest = 0;             // m, lowest corner of all frames
};

/// Runs the scenario scenes/validation/cube_toss.yaml from the first frame of a toss.
class TossPredictor {
 public:
  TossPredictor();
  TossPrediction predict(const Toss& toss, const TossModel& model) const;

 private:
  ScenarioDocument document_;
};

/// How many frames a toss begins with in which the lowest corner is higher than this, m.
std::size_t count_flight_frames(const Toss& toss, double height);

/// Mean angular velocity from one orientation to another, world axes.
Eigen::Vector3d calc_mean_spin(const Eigen::Quaterniond& from, const Eigen::Quaterniond& to, double time);

/// The measured flight, frozen in the first frame with a corner less than 2 mm above the table: what anything must
/// beat.
std::vector<CubeFrame> freeze_at_contact(const Toss& toss);

/// Means over the frames of a toss.
struct TossError {
  double position = 0;  // distance of the centres, % of the cube's width
  double rotation = 0;  // angle between the orientations, deg
};
TossError calc_error(const Toss& toss, const std::vector<CubeFrame>& predicted);

/// Mean and standard deviation over tosses.
struct TossScore {
  TossError mean, deviation, median;
};
TossScore calc_score(const std::vector<TossError>& errors);

}  // namespace thenar
