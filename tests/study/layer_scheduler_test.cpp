#include "core/study/layer_scheduler.h"

#include <QTest>
#include <map>
#include <random>
#include <set>
#include <utility>

#include "core/base/random.h"
#include "tests/test_program.h"

namespace kernelscape::layer_scheduler_test {

namespace {

std::optional<std::size_t> next_layer(study::LayerScheduler scheduler,
                                      const std::vector<study::LayerProgress>& layers, std::uint64_t seed) {
  const std::optional<study::LayerChoice> choice = study::explain_next_layer(scheduler, layers, seed);
  return choice ? std::optional(choice->layer) : std::nullopt;
}

study::LayerProgress layer(double weight, double flops, std::vector<double> best,
                           std::string kind = "conv2d-packed") {
  return {.weight = weight, .flops = flops, .kind = std::move(kind), .best_seconds = std::move(best)};
}

/** Rounds of each layer where `seconds(layer, rounds)` is the best after so many. */
std::vector<std::size_t> rounds_after(study::LayerScheduler scheduler,
                                      std::vector<study::LayerProgress> layers, int rounds,
                                      const auto& seconds, std::uint64_t seed = 1) {
  for (int round = 0; round < rounds; ++round) {
    const std::optional<std::size_t> next = next_layer(scheduler, layers, seed);
    if (!next) qFatal("no layer is left");
    layers[*next].best_seconds.push_back(seconds(*next, layers[*next].best_seconds.size() + 1));
  }
  std::vector<std::size_t> counts;
  for (const study::LayerProgress& one : layers) counts.push_back(one.best_seconds.size());
  return counts;
}

/** The formula of the paper, written down once more. */
double paper_gradient(const std::vector<study::LayerProgress>& layers, std::size_t i) {
  const auto& g = layers[i].best_seconds;
  const std::size_t t = g.size();
  const double backward = t > 3 ? (g[t - 1] - g[t - 4]) / 3 : 0;
  double forward = -g[t - 1] / static_cast<double>(t);
  double speed = 0;
  int similar = 0;
  for (const study::LayerProgress& other : layers) {
    if (other.kind != layers[i].kind) continue;
    ++similar;
    speed = std::max(speed, other.flops / other.best_seconds.back());
  }
  if (similar > 1) forward = std::min(forward, 2 * layers[i].flops / speed - g[t - 1]);
  return std::abs(layers[i].weight * (0.2 * backward + 0.8 * forward));
}

}  // namespace

class LayerSchedulerTest : public QObject {
  Q_OBJECT

 private slots:
  void names_are_read_back() {
    for (const std::string& name : study::layer_scheduler_names())
      QCOMPARE(std::string(study::to_string(*study::parse_layer_scheduler(name))), name);
    const Result<study::LayerScheduler> unknown = study::parse_layer_scheduler("gradiant");
    QVERIFY(!unknown && unknown.error().hint.contains("gradient"));
  }

  /** The weight of the latency replaces the number of calls in gains, and in nothing else. */
  void gains_count_as_the_latency_weighs_them() {
    const std::uint64_t seed = std::random_device()();
    qInfo("seed %llu", static_cast<unsigned long long>(seed));
    base::Random random(seed);
    for (int i = 0; i < 200; ++i) {
      std::vector<study::LayerProgress> weighted;
      for (std::uint64_t count = 2 + random.below(6); count > 0; --count) {
        study::LayerProgress& one = weighted.emplace_back(layer(1, 1e6 * (1 + random.uniform()), {}));
        for (std::uint64_t rounds = 1 + random.below(6); rounds > 0; --rounds)
          one.best_seconds.push_back(1e-3 * (1 + random.uniform()));
        std::ranges::sort(one.best_seconds, std::greater());
        one.latency_weight = random.chance(0.3) ? 0 : 10 * random.uniform();
      }
      std::vector<study::LayerProgress> called = weighted;
      for (study::LayerProgress& one : called)
        if (one.latency_weight > 0) one.weight = std::exchange(one.latency_weight, 0);
      const auto by_latency = study::explain_next_layer(study::LayerScheduler::Gradient, weighted, seed);
      const auto by_calls = study::explain_next_layer(study::LayerScheduler::Gradient, called, seed);
      QCOMPARE(by_latency->layer, by_calls->layer);
      QCOMPARE(by_latency->promised_seconds, by_calls->promised_seconds);
      QCOMPARE(by_latency->gained_seconds, by_calls->gained_seconds);
      for (const study::LayerScheduler other :
           {study::LayerScheduler::RoundRobin, study::LayerScheduler::Proportional}) {
        std::vector<study::LayerProgress> plain = weighted;
        for (study::LayerProgress& one : plain) one.latency_weight = 0;
        QCOMPARE(*study::explain_next_layer(other, weighted, seed),
                 *study::explain_next_layer(other, plain, seed));
      }
    }
  }

  void every_layer_has_a_round_first() {
    for (const study::LayerScheduler scheduler :
         {study::LayerScheduler::Gradient, study::LayerScheduler::RoundRobin,
          study::LayerScheduler::Proportional}) {
      const std::vector<study::LayerProgress> layers{layer(1, 1, {}), layer(2, 100, {}), layer(1, 50, {})};
      QCOMPARE(*next_layer(scheduler, layers, 1), std::size_t{1});
      QCOMPARE(rounds_after(scheduler, layers, 3, [](auto, auto) { return 1.0; }),
               (std::vector<std::size_t>{1, 1, 1}));
    }
  }

  void layers_at_the_same_time_are_different_ones() {
    const std::uint64_t seed = std::random_device()();
    qInfo("seed %llu", static_cast<unsigned long long>(seed));
    base::Random random(seed);
    for (const study::LayerScheduler scheduler :
         {study::LayerScheduler::Gradient, study::LayerScheduler::RoundRobin,
          study::LayerScheduler::Proportional}) {
      std::vector<study::LayerProgress> layers;
      for (int i = 0; i < 6; ++i) {
        study::LayerProgress& one = layers.emplace_back(layer(1, 1e6 * (1 + random.uniform()), {}));
        for (std::uint64_t rounds = random.below(4); rounds > 0; --rounds) one.best_seconds.push_back(1e-3);
      }
      layers[random.below(6)].ended = true;
      const std::vector<study::LayerChoice> choices = study::explain_next_layers(scheduler, layers, seed, 9);
      std::set<std::size_t> chosen;
      for (const study::LayerChoice& choice : choices) {
        QVERIFY(!layers[choice.layer].ended);
        chosen.insert(choice.layer);
      }
      QCOMPARE(chosen.size(), std::size_t{5});
      QCOMPARE(choices.size(), chosen.size());
      QCOMPARE(choices.front(), *study::explain_next_layer(scheduler, layers, seed));
      const std::vector<study::LayerChoice> fewer = study::explain_next_layers(scheduler, layers, seed, 2);
      QVERIFY(std::ranges::equal(fewer, std::span(choices).first(2)));
    }
  }

  /** A set of rounds at the same time is what one after another would be, but for each layer once. */
  void shares_are_kept_by_layers_at_the_same_time() {
    const std::uint64_t seed = std::random_device()();
    qInfo("seed %llu", static_cast<unsigned long long>(seed));
    base::Random random(seed);
    for (int i = 0; i < 200; ++i) {
      std::vector<study::LayerProgress> layers;
      double all = 0;
      std::size_t rounds = 0;
      for (std::uint64_t count = 2 + random.below(8); count > 0; --count) {
        study::LayerProgress& one = layers.emplace_back(layer(1, 1 + 9 * random.uniform(), {}));
        one.best_seconds.assign(1 + random.below(40), 1e-3);
        all += one.flops;
        rounds += one.best_seconds.size();
      }
      std::vector<std::size_t> expected;
      for (std::size_t place = 0; place < layers.size(); ++place) {
        std::optional<std::size_t> next;
        const auto lacks = [&](std::size_t k) {
          return layers[k].flops / all * static_cast<double>(rounds + place + 1) -
                 static_cast<double>(layers[k].best_seconds.size());
        };
        for (std::size_t k = 0; k < layers.size(); ++k)
          if (std::ranges::find(expected, k) == expected.end() && (!next || lacks(k) > lacks(*next)))
            next = k;
        expected.push_back(*next);
      }
      std::vector<std::size_t> chosen;
      for (const study::LayerChoice& choice : study::explain_next_layers(
               study::LayerScheduler::Proportional, layers, seed, static_cast<int>(layers.size())))
        chosen.push_back(choice.layer);
      QCOMPARE(chosen, expected);
    }
  }

  void round_robin_and_proportional_share_as_they_say() {
    const std::vector<study::LayerProgress> layers{layer(1, 10, {}), layer(3, 10, {}), layer(1, 60, {})};
    const auto constant = [](auto, auto) { return 1.0; };
    QCOMPARE(rounds_after(study::LayerScheduler::RoundRobin, layers, 30, constant),
             (std::vector<std::size_t>{10, 10, 10}));
    QCOMPARE(rounds_after(study::LayerScheduler::Proportional, layers, 100, constant),
             (std::vector<std::size_t>{10, 30, 60}));
  }

  /** But for the one round in twenty that goes to any layer. */
  void the_gradient_is_that_of_the_paper() {
    const std::uint64_t seed = std::random_device()();
    qInfo("seed %llu", static_cast<unsigned long long>(seed));
    base::Random random(seed);
    int same = 0;
    constexpr int cases = 2000;
    for (int i = 0; i < cases; ++i) {
      std::vector<study::LayerProgress> layers;
      for (std::uint64_t count = 2 + random.below(6); count > 0; --count) {
        study::LayerProgress& one = layers.emplace_back();
        one.weight = static_cast<double>(1 + random.below(5));
        one.flops = 1e6 * static_cast<double>(1 + random.below(1000));
        one.kind = random.chance(0.5) ? "a" : "b";
        double seconds = one.flops / (1e9 * (1 + 10 * random.uniform()));
        for (std::uint64_t rounds = 1 + random.below(8); rounds > 0; --rounds) {
          one.best_seconds.push_back(seconds);
          if (random.chance(0.5)) seconds *= 0.5 + 0.5 * random.uniform();
        }
      }
      const std::uint64_t study_seed = random.bits();
      const study::LayerChoice choice =
          *study::explain_next_layer(study::LayerScheduler::Gradient, layers, study_seed);
      const std::size_t chosen = choice.layer;
      QCOMPARE(*next_layer(study::LayerScheduler::Gradient, layers, study_seed), chosen);
      const double promised = paper_gradient(layers, chosen);
      QVERIFY2(std::abs(choice.promised_seconds - promised) <= 1e-12 * promised,
               std::to_string(choice.promised_seconds / promised).c_str());
      std::size_t steepest = 0;
      for (std::size_t k = 0; k < layers.size(); ++k)
        if (paper_gradient(layers, k) > paper_gradient(layers, steepest)) steepest = k;
      if (chosen == steepest) ++same;
      if (choice.reason == study::LayerReason::Promise)
        QCOMPARE(chosen, steepest);
      else
        QCOMPARE(choice.reason, study::LayerReason::AnyLayer);
    }
    QVERIFY2(same > cases * 0.92, std::to_string(same).c_str());
    QVERIFY2(same < cases, "no round went to any layer");
  }

  void a_choice_is_reported_in_words() {
    std::vector<study::LayerProgress> layers{layer(3, 1e6, {}), layer(1, 1e6, {})};
    study::LayerChoice choice = *study::explain_next_layer(study::LayerScheduler::RoundRobin, layers, 1);
    QCOMPARE(study::choice_text(choice), std::string("its first round: it has 75 % of the network's FLOPs"));
    layers[0].best_seconds = {0.002, 0.002, 0.002, 0.0011};
    layers[1].best_seconds = {0.001};
    choice = *study::explain_next_layer(study::LayerScheduler::RoundRobin, layers, 1);
    QCOMPARE(choice.layer, std::size_t{1});
    QCOMPARE(study::choice_text(choice), std::string("its turn: no layer had fewer rounds than its 1"));
    choice = *study::explain_next_layer(study::LayerScheduler::Proportional, layers, 1);
    QCOMPARE(choice.layer, std::size_t{0});
    QVERIFY(std::abs(choice.due_rounds - 4.5) < 1e-12);
    QVERIFY(study::choice_text(choice).contains("75 % of the network's FLOPs"));
    layers[1].ended = true;
    std::set<std::string> texts;
    for (std::uint64_t seed = 0; seed < 200; ++seed)
      texts.insert(
          study::choice_text(*study::explain_next_layer(study::LayerScheduler::Gradient, layers, seed)));
    // What it gained: 3 x 0.9 ms in three rounds.
    QVERIFY(texts.contains("the one round in twenty that goes to any layer"));
    QCOMPARE(texts.size(), std::size_t{2});
    QVERIFY2(texts.rbegin()->contains("its latest rounds saved 0.9 ms each") ||
                 texts.begin()->contains("its latest rounds saved 0.9 ms each"),
             (*texts.begin() + *texts.rbegin()).c_str());
    layers[0].best_seconds = {0, 0};
    choice = *study::explain_next_layer(study::LayerScheduler::Gradient, std::vector{layers[0]}, 3);
    QVERIFY(!choice.has_kernel && choice.promised_seconds == 0);
    QVERIFY(!study::choice_text(choice).empty());
    QVERIFY(!study::explain_next_layer(study::LayerScheduler::Gradient, {}, 1));
  }

  /** Layers of which one is nearly all of the time, and gets better, get the rounds. */
  void the_gradient_gives_where_time_is_won() {
    const std::vector<study::LayerProgress> layers{layer(1, 1e9, {}, "a"), layer(1, 1e6, {}, "b"),
                                                   layer(1, 1e6, {}, "c")};
    const auto counts = rounds_after(
        study::LayerScheduler::Gradient, layers, 60,
        [](std::size_t i, std::size_t rounds) { return i == 0 ? 1.0 / static_cast<double>(rounds) : 1e-4; });
    QVERIFY2(counts[0] > 45, std::to_string(counts[0]).c_str());
  }

  void layers_without_a_kernel_and_ended_ones() {
    std::vector<study::LayerProgress> layers{layer(1, 1e9, {0, 0, 0}), layer(1, 1e6, {0.001})};
    QVERIFY(next_layer(study::LayerScheduler::Gradient, layers, 7).has_value());
    layers[0].ended = true;
    for (std::uint64_t seed = 0; seed < 50; ++seed)
      QCOMPARE(*next_layer(study::LayerScheduler::Gradient, layers, seed), std::size_t{1});
    layers[1].ended = true;
    QVERIFY(!next_layer(study::LayerScheduler::Gradient, layers, 7));
    QVERIFY(!next_layer(study::LayerScheduler::Gradient, {}, 7));
    const std::vector<study::LayerProgress> none{layer(1, 1e9, {0}), layer(1, 1e6, {0})};
    QVERIFY(next_layer(study::LayerScheduler::Gradient, none, 7).has_value());
  }
};

KERNELSCAPE_PLAIN_TEST(LayerSchedulerTest)

}  // namespace kernelscape::layer_scheduler_test
#include "layer_scheduler_test.moc"
