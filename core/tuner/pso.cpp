#include <algorithm>

#include "core/tuner/knob_cube.h"
#include "core/tuner/measured_rounds.h"
#include "core/tuner/typed_settings.h"

namespace kernelscape::tuner {
namespace {

struct SwarmSettings {
  std::size_t population = 20;
  std::int64_t generations = 100;
  double inertia = 0.5;
  double cognitive = 2;
  double social = 1;

  static SettingsOf<SwarmSettings> table() {
    const std::string tuner = "Kernel Tuner, pso";
    return SettingsOf<SwarmSettings>()
        .add("population", &SwarmSettings::population, 1, 100'000, "configurations", "number of particles",
             tuner + " (popsize)")
        .add("generations", &SwarmSettings::generations, 1, 1'000'000'000, "",
             "number of moves of the swarm after which the search begins again", tuner + " (maxiter)")
        .add("inertia", &SwarmSettings::inertia, 0, 10, "", "share of its velocity that a particle keeps",
             tuner + " (w)")
        .add("cognitive", &SwarmSettings::cognitive, 0, 10, "",
             "largest acceleration towards the particle's own best position", tuner + " (c1)")
        .add("social", &SwarmSettings::social, 0, 10, "",
             "largest acceleration towards the best position of the swarm", tuner + " (c2)");
  }
};

/** A position with the fitness that was measured there. */
struct Place {
  CubePoint point;
  double fitness = 0;
};

struct Particle {
  CubePoint position;
  CubePoint velocity;
  Place best;
};

/**
 * Particle swarm optimization (Kennedy and Eberhart 1995) as in Kernel Tuner: over the unit cube of the
 * knobs, where a point stands for the configuration in whose part it lies. Each particle draws its two
 * accelerations once for all knobs, and stops at the faces of the cube. A position that is no member counts
 * as failed.
 */
class SwarmTuner final : public MeasuredRounds {
 public:
  explicit SwarmTuner(const Context& context)
      : MeasuredRounds(context), settings_(read_settings<SwarmSettings>(context.settings)) {}

 protected:
  std::vector<space::Configuration> start_round() override {
    moves_ = 0;
    particles_.clear();
    best_ = {};
    std::vector<space::Configuration> members = take_fresh(settings_.population);
    for (const space::Configuration& member : members) {
      Particle particle{cube_point(space(), member), {}, {}};
      for (std::size_t i = 0; i < particle.position.size(); ++i)
        particle.velocity.push_back(2 * random().uniform() - 1);
      particles_.push_back(std::move(particle));
    }
    return members;
  }

  std::vector<space::Configuration> next_round() override {
    if (++moves_ >= settings_.generations) return {};
    std::vector<space::Configuration> round;
    for (Particle& particle : particles_) {
      move(particle);
      round.push_back(configuration_at(space(), particle.position));
    }
    return round;
  }

  void finish_round(std::span<const trial::Observation> round) override {
    for (std::size_t i = 0; i < particles_.size(); ++i) {
      Particle& particle = particles_[i];
      const Place here{particle.position, round[i].fitness};
      if (particle.best.point.empty() || here.fitness > particle.best.fitness) particle.best = here;
      if (best_.point.empty() || here.fitness >= best_.fitness) best_ = here;
    }
  }

 private:
  void move(Particle& particle) {
    const double to_own = settings_.cognitive * random().uniform();
    const double to_best = settings_.social * random().uniform();
    for (std::size_t i = 0; i < particle.position.size(); ++i) {
      double& at = particle.position[i];
      double& velocity = particle.velocity[i];
      velocity = settings_.inertia * velocity + to_own * (particle.best.point[i] - at) +
                 to_best * (best_.point[i] - at);
      at = std::clamp(at + velocity, 0.0, 1.0);
    }
  }

  SwarmSettings settings_;
  std::vector<Particle> particles_;
  Place best_;
  std::int64_t moves_ = 0;
};

}  // namespace

Declaration pso_tuner() {
  return {.name = "pso",
          .summary = "particle swarm over the knobs' values",
          .source = "Kernel Tuner's pso; Kennedy and Eberhart 1995",
          .default_batch = 20,
          .hyperparameters = settings_of<SwarmSettings>().declarations(),
          .make = [](const Context& context) -> Result<std::unique_ptr<Tuner>> {
            return std::make_unique<SwarmTuner>(context);
          },
          .series = {member_share_series("moves of pso's particles")},
          .starts_with_best = true,
          .random_phase = integer_of<SwarmSettings>(&SwarmSettings::population)};
}

}  // namespace kernelscape::tuner
