// SPDX-License-Identifier: BSD-3-Clause
//
// The first example: load a scene and look at it. Which bodies are there, which degrees of freedom, how far are bodies
// from each other, and what touches? Another scene may be given:
//
//     1_look my_hand.yaml

#include <fmt/format.h>
#include <thenar/thenar.h>

#include <cstdlib>

int main(int argc, char** argv) {
  try {
    thenar::Simulation sim(thenar::load(argc > 1 ? argv[1] : THENAR_SCENES "/five_finger_box.yaml"));
    const thenar::Model& model = sim.model();
    fmt::print("{}: {} bodies, {} degrees of freedom, {:.4g} kg\n", sim.scenario().name, model.body_count() - 1,
               model.velocity_count(), model.total_mass());
    for (int dof = 0; dof < model.velocity_count(); ++dof) {
      fmt::print("  {:<20} v = {:8.4f}\n", model.dof_name(dof), sim.state().v(dof));
    }
    for (const thenar::Contact& contact : sim.contacts()) {
      fmt::print("  {:<28} {:<6} gap {:9.3g} m, f_N {:8.4f} N, margin {:5.2f}\n", contact.name, to_string(contact.mode),
                 contact.gap, contact.force_on_A.normal, contact.margin);
    }
    return EXIT_SUCCESS;
  } catch (const std::exception& error) {  // a file that cannot be read: its name, the line, what was expected
    fmt::print(stderr, "{}\n", error.what());
    return EXIT_FAILURE;
  }
}
