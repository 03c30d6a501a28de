#include <QtTest>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "core/space/search_space.h"
#include "tests/space/random_systems.h"
#include "tests/test_program.h"

namespace kernelscape::space_search_space_test {
using namespace kernelscape::testing;

namespace {

std::vector<space::KnobValue> integers(const std::vector<std::int64_t>& values) {
  return {values.begin(), values.end()};
}

/** resnet18/C12's direct CUDA convolution: 844,800 configurations. */
std::vector<space::Knob> cuda_knobs() {
  return {*space::Knob::factorization("tile_f", 512, 4),
          *space::Knob::factorization("tile_y", 7, 4),
          *space::Knob::factorization("tile_x", 7, 4),
          *space::Knob::factorization("tile_rc", 512, 2),
          *space::Knob::factorization("tile_ry", 3, 2),
          *space::Knob::factorization("tile_rx", 3, 2),
          *space::Knob::ordinal("auto_unroll_max_step", integers({0, 512, 1500})),
          *space::Knob::ordinal("unroll_explicit", integers({0, 1}))};
}

/** Threads of a block, and the output tile in shared memory. */
space::ConstraintSystem cuda_limits() {
  space::ConstraintSystem system;
  const auto element = [&](const char* name, std::uint32_t knob, int position) {
    return system.add_element(name, knob, position);
  };
  const auto f = element("tile_f.2", 0, 2);
  const auto y = element("tile_y.2", 1, 2);
  const auto x = element("tile_x.2", 2, 2);
  const auto threads = system.add_derived("threads");
  system.add({space::ProdConstraint{threads, {f, y, x}}, ""});
  system.add({space::LeConstraint{threads, system.add_constant("most_threads", 1024)}, "threads per block"});
  system.add({space::LeConstraint{f, system.add_constant("most_z", 64)}, "threads in z"});
  return system;
}

/** Three knobs of 10, 6 and 4 values of which few combinations are members. */
space::SearchSpace small_constrained_space() {
  std::vector<space::Knob> knobs{*space::Knob::factorization("a", 12, 2),
                                 *space::Knob::factorization("b", 32, 2),
                                 *space::Knob::ordinal("c", integers({1, 2, 3, 5}))};
  space::ConstraintSystem system;
  const auto product = system.add_derived("product");
  system.add(
      {space::ProdConstraint{product, {system.add_element("a.1", 0, 1), system.add_element("b.1", 1, 1)}},
       ""});
  const auto sum = system.add_derived("sum");
  system.add({space::SumConstraint{sum, {product, system.add_element("c", 2, 0)}}, ""});
  system.add({space::LeConstraint{sum, system.add_constant("most", 12)}, "small"});
  return *space::SearchSpace::make(std::move(knobs), std::move(system));
}

std::vector<space::Configuration> walk_members(const space::SearchSpace& space) {
  std::vector<space::Configuration> members;
  for_each_configuration(space.knobs(), [&](const space::Configuration& configuration) {
    if (space.constraints().evaluate(space.knobs(), configuration).violated.empty())
      members.push_back(configuration);
  });
  return members;
}

}  // namespace

class SpaceSearchSpaceTest : public QObject {
  Q_OBJECT

 private slots:
  void sizes_of_known_spaces() {
    const auto space = space::SearchSpace::make(cuda_knobs());
    QVERIFY(space);
    QCOMPARE(base::to_string(space->size()), std::string("844800"));
    QCOMPARE(base::to_string(*space->member_count()), std::string("844800"));
    QVERIFY(!space->has_restrictions());
    const auto x86 = space::SearchSpace::make(
        {*space::Knob::factorization("tile_ic", 3, 2), *space::Knob::factorization("tile_oc", 64, 2),
         *space::Knob::factorization("tile_ow", 112, 2, 64),
         *space::Knob::categorical("unroll_kw", {space::KnobValue(true), space::KnobValue(false)})});
    QCOMPARE(base::to_string(x86->size()), std::string("252"));
  }

  void index_has_the_first_knob_fastest() {
    const auto space = space::SearchSpace::make({*space::Knob::ordinal("a", integers({0, 1, 2})),
                                                 *space::Knob::ordinal("b", integers({0, 1})),
                                                 *space::Knob::ordinal("c", integers({0, 1}))});
    base::uint128 index = 0;
    for_each_configuration(space->knobs(), [&](const space::Configuration& configuration) {
      QVERIFY(space->index_of(configuration) == index);
      QCOMPARE(space->at(index), configuration);
      ++index;
    });
    QVERIFY(index == space->size());
  }

  void indices_pass_64_bits() {
    std::vector<space::Knob> knobs;
    std::vector<std::int64_t> values(1024);
    std::iota(values.begin(), values.end(), 0);
    for (int i = 0; i < 12; ++i)
      knobs.push_back(*space::Knob::ordinal("k" + std::to_string(i), integers(values)));
    const auto space = space::SearchSpace::make(knobs);
    QVERIFY(space->size() == base::uint128{1} << 120);
    const std::uint64_t seed = 12;
    qInfo("seed %llu", static_cast<unsigned long long>(seed));
    base::Random random(seed);
    for (int i = 0; i < 1000; ++i) {
      const base::uint128 index = random.below_wide(space->size());
      QVERIFY(space->index_of(space->at(index)) == index);
    }
    QVERIFY(space->index_of(space->at(space->size() - 1)) == space->size() - 1);
    knobs.push_back(*space::Knob::ordinal("more", integers({0, 1, 2, 3, 4, 5, 6, 7, 8})));
    knobs.push_back(*space::Knob::ordinal("most", integers(values)));
    const auto too_large = space::SearchSpace::make(knobs);
    QVERIFY(!too_large);
    QVERIFY(too_large.error().message.find("2^127") != std::string::npos);
  }

  void members_are_what_the_constraints_say() {
    const std::uint64_t seed = 606;
    qInfo("seed %llu", static_cast<unsigned long long>(seed));
    base::Random random(seed);
    int counted = 0;
    for (int i = 0; i < 150; ++i) {
      const RandomSystem drawn = random_system(random);
      const auto space = space::SearchSpace::make(drawn.knobs, drawn.system);
      QVERIFY(space);
      std::uint64_t members = 0;
      for_each_configuration(drawn.knobs, [&](const space::Configuration& configuration) {
        const bool member = reference_evaluation(drawn, configuration).violated.empty();
        members += member ? 1U : 0U;
        QCOMPARE(space->contains(configuration), member);
      });
      QVERIFY(*space->member_count() == members);
      counted += members > 0 && space->size() > members;
      for (int j = 0; j < 5; ++j) {
        const auto member = space->random_member(random);
        QCOMPARE(member.has_value(), members > 0);
        if (member) QVERIFY(space->contains(*member));
      }
    }
    QVERIFY(counted > 20);
  }

  void knobs_that_nothing_names_are_not_walked() {
    std::vector<space::Knob> knobs = cuda_knobs();
    for (int i = 0; i < 8; ++i)
      knobs.push_back(*space::Knob::factorization("free" + std::to_string(i), 4096, 4));
    const auto space = space::SearchSpace::make(knobs, cuda_limits());
    base::uint128 free = 1;
    for (std::size_t i = 3; i < knobs.size(); ++i) free *= knobs[i].count();
    std::uint64_t constrained = 0;
    for (std::uint32_t f = 0; f < knobs[0].count(); ++f)
      for (std::uint32_t y = 0; y < knobs[1].count(); ++y)
        for (std::uint32_t x = 0; x < knobs[2].count(); ++x) {
          const auto z = knobs[0].element(f, 2);
          constrained += z <= 64 && z * knobs[1].element(y, 2) * knobs[2].element(x, 2) <= 1024;
        }
    QVERIFY(*space->member_count() == free * constrained);
    QVERIFY(!space->member_count(100));
  }

  void malformed_configurations_are_no_members() {
    const space::SearchSpace space = *space::SearchSpace::make(cuda_knobs(), cuda_limits());
    space::Configuration configuration{std::vector<std::uint32_t>(8, 0)};
    QVERIFY(space.contains(configuration));
    configuration.indices[6] = 3;
    QVERIFY(!space.contains(configuration));
    QVERIFY(!space.contains({{0, 0, 0}}));
    QVERIFY(!space.contains({std::vector<std::uint32_t>(9, 0)}));
    QVERIFY(!space.contains({std::vector<std::uint32_t>(8, 0xffffffffU)}));
  }

  void random_members_are_uniform() {
    const space::SearchSpace space = small_constrained_space();
    QVERIFY(space.samples_uniformly());
    const auto members = walk_members(space);
    QVERIFY(members.size() > 30 && space.size() > 2 * members.size());
    const std::uint64_t seed = 2718;
    qInfo("seed %llu", static_cast<unsigned long long>(seed));
    base::Random random(seed);
    std::map<space::Configuration, int> drawn;
    const int draws = static_cast<int>(members.size()) * 400;
    for (int i = 0; i < draws; ++i) ++drawn[*space.random_member(random)];
    QCOMPARE(drawn.size(), members.size());
    double chi_square = 0;
    for (const auto& [configuration, count] : drawn) chi_square += (count - 400.0) * (count - 400.0) / 400.0;
    const auto freedom = static_cast<double>(members.size() - 1);
    QVERIFY(chi_square < freedom + 5 * std::sqrt(2 * freedom));
  }

  void rare_members_come_from_the_solver() {
    // The middle and the last factors of five splits have to meet a product each: about one in 30,000 does.
    std::vector<space::Knob> knobs;
    for (std::uint32_t i = 0; i < 5; ++i)
      knobs.push_back(*space::Knob::factorization("tile" + std::to_string(i), 2520, 3));
    space::ConstraintSystem system;
    const space::VariableId target = system.add_constant("target", 2520LL * 2520);
    for (const int position : {1, 2}) {
      space::ProdConstraint rule{0, {}};
      for (std::uint32_t i = 0; i < 5; ++i)
        rule.factors.push_back(
            system.add_element(knobs[i].name() + "." + std::to_string(position), i, position));
      rule.result = system.add_derived("product" + std::to_string(position));
      system.add({rule, ""});
      system.add({space::EqConstraint{rule.result, target}, "exact"});
    }
    const space::SearchSpace space = *space::SearchSpace::make(knobs, system);
    QVERIFY(!space.samples_uniformly());
    base::Random random(3);
    std::set<space::Configuration> different;
    for (int i = 0; i < 30; ++i) {
      const auto member = space.random_member(random);
      QVERIFY(member && space.contains(*member));
      different.insert(*member);
    }
    QVERIFY(different.size() > 20);
    const space::SearchSpace empty = *space.restricted_by([&] {
      space::ConstraintSystem limits;
      limits.add(
          {space::LeConstraint{limits.add_element("tile0.0", 0, 0), limits.add_constant("zero", 0)}, ""});
      return limits;
    }());
    QVERIFY(!empty.random_member(random));
  }

  void sampling_is_deterministic() {
    const space::SearchSpace space = small_constrained_space();
    base::Random a(9);
    base::Random b(9);
    for (int i = 0; i < 50; ++i) QCOMPARE(*space.random_member(a), *space.random_member(b));
  }

  void listed_members_are_all_there_is() {
    const std::vector<space::Knob> knobs{*space::Knob::factorization("tile", 8, 2),
                                         *space::Knob::ordinal("unroll", integers({0, 16}))};
    const std::vector<space::Configuration> listed{{{3, 1}}, {{0, 0}}, {{2, 0}}, {{3, 1}}, {{1, 1}}};
    const space::SearchSpace space = *space::SearchSpace::make_explicit(knobs, listed);
    QVERIFY(space.size() == 8);
    QVERIFY(*space.member_count() == 4);
    QVERIFY(space.has_restrictions());
    QCOMPARE(*space.explicit_members(),
             (std::vector<space::Configuration>{{{0, 0}}, {{2, 0}}, {{1, 1}}, {{3, 1}}}));
    std::size_t contained = 0;
    for_each_configuration(
        knobs, [&](const space::Configuration& one) { contained += space.contains(one) ? 1U : 0U; });
    QCOMPARE(contained, std::size_t{4});
    base::Random random(1);
    std::set<space::Configuration> drawn;
    for (int i = 0; i < 200; ++i) drawn.insert(*space.random_member(random));
    QCOMPARE(drawn.size(), std::size_t{4});

    space::ConstraintSystem limits;
    limits.add(
        {space::LeConstraint{limits.add_element("tile.1", 0, 1), limits.add_constant("most", 2)}, "small"});
    const auto restricted = space.restricted_by(limits);
    QCOMPARE(*restricted->explicit_members(), (std::vector<space::Configuration>{{{0, 0}}, {{1, 1}}}));
    limits.add({space::LeConstraint{limits.add_constant("one", 1), limits.add_constant("zero", 0)}, "never"});
    QVERIFY(!space.restricted_by(limits));
    QVERIFY(!space::SearchSpace::make_explicit(knobs, {}));
    QVERIFY(!space::SearchSpace::make_explicit(knobs, {{{0, 2}}}));
    QVERIFY(!space::SearchSpace::make_explicit(knobs, {{{0}}}));
  }

  void limits_become_membership() {
    const space::SearchSpace space = *space::SearchSpace::make(cuda_knobs());
    const space::SearchSpace restricted = *space.restricted_by(cuda_limits());
    QVERIFY(restricted.has_restrictions() && restricted.size() == space.size());
    QVERIFY(*restricted.member_count() < space.size());
    QVERIFY(restricted.fingerprint() != space.fingerprint());
    base::Random random(2);
    for (int i = 0; i < 100; ++i)
      QVERIFY(cuda_limits().satisfied(space.knobs(), *restricted.random_member(random)));
  }

  void impossible_spaces_are_refused() {
    QVERIFY(!space::SearchSpace::make({}));
    const space::Knob tile = *space::Knob::factorization("tile", 8, 2);
    const auto twins = space::SearchSpace::make({tile, tile});
    QVERIFY(!twins && twins.error().message.find("\"tile\"") != std::string::npos);
    space::ConstraintSystem elsewhere;
    elsewhere.add_element("other.0", 1, 0);
    QVERIFY(!space::SearchSpace::make({tile}, elsewhere));
  }

  void fingerprints_tell_spaces_apart() {
    const auto of = [](std::vector<space::Knob> knobs, space::ConstraintSystem system = {}) {
      return space::SearchSpace::make(std::move(knobs), std::move(system))->fingerprint();
    };
    const auto listed = [](std::vector<space::Configuration> members) {
      return space::SearchSpace::make_explicit({*space::Knob::ordinal("k", integers({1, 2, 3}))},
                                               std::move(members))
          ->fingerprint();
    };
    std::vector<std::uint64_t> prints{
        of(cuda_knobs()),
        of(cuda_knobs(), cuda_limits()),
        of({*space::Knob::factorization("k", 8, 2)}),
        of({*space::Knob::factorization("k", 8, 2, 4)}),
        of({*space::Knob::factorization("k", 8, 2)->restricted({0, 1})}),
        of({*space::Knob::ordinal("k", integers({1, 2, 3}))}),
        of({*space::Knob::categorical("k", integers({1, 2, 3}))}),
        of({*space::Knob::categorical("k", integers({1, 3, 2}))}),
        of({*space::Knob::ordinal("k",
                                  {space::KnobValue(1.0), space::KnobValue(2.0), space::KnobValue(3.0)})}),
        listed({{{0}}, {{1}}, {{2}}}),
        listed({{{0}}, {{1}}}),
    };
    QCOMPARE(std::set(prints.begin(), prints.end()).size(), prints.size());
    QCOMPARE(of(cuda_knobs(), cuda_limits()), prints[1]);
    QCOMPARE(listed({{{1}}, {{0}}}), prints[10]);
  }

  void configurations_as_users_write_them() {
    const space::SearchSpace space = *space::SearchSpace::make(
        {*space::Knob::factorization("tile_oc", 64, 2),
         *space::Knob::permutation("order", {"ic", "oh", "oc"}),
         *space::Knob::categorical("unroll_kw", {space::KnobValue(true), space::KnobValue(false)}),
         *space::Knob::ordinal("scale", {space::KnobValue(0.1), space::KnobValue(4.0)}),
         *space::Knob::categorical("axis", {space::KnobValue("x"), space::KnobValue("1")})});
    for_each_configuration(space.knobs(), [&](const space::Configuration& configuration) {
      const auto again = space.configuration_from_json(space.configuration_to_json(configuration));
      QVERIFY(again);
      QCOMPARE(*again, configuration);
    });
    const auto written = space.configuration_from_json(
        R"({"unroll_kw": false, "axis": "1", "tile_oc": [4, 16], "order": ["oc", "ic", "oh"], "scale": 4})");
    QVERIFY(written);
    QCOMPARE(space.describe(*written),
             std::string("tile_oc=[4, 16] order=[oc, ic, oh] unroll_kw=false scale=4 axis=1"));
    const std::vector<std::pair<const char*, const char*>> wrong{
        {R"({"unroll_kw":false,"axis":"1","order":[0,1,2],"scale":4})", "tile_oc"},
        {R"({"unroll_kw":0,"axis":"1","tile_oc":[4,16],"order":[0,1,2],"scale":4})", "unroll_kw"},
        {R"({"unroll_kw":true,"axis":1,"tile_oc":[4,16],"order":[0,1,2],"scale":4})", "axis"},
        {R"({"unroll_kw":true,"axis":"1","tile_oc":[4,15],"order":[0,1,2],"scale":4})", "tile_oc"},
        {R"({"unroll_kw":true,"axis":"1","tile_oc":16,"order":[0,1,2],"scale":4})", "tile_oc"},
        {R"({"unroll_kw":true,"axis":"1","tile_oc":[4,16],"order":["oc","oc","ic"],"scale":4})", "order"},
        {R"({"unroll_kw":true,"axis":"1","tile_oc":[4,16],"order":[0,1,2],"scale":4,"tile_oh":1})",
         "tile_oh"},
        {R"({"unroll_kw":true,"axis":"1","tile_oc":[4,16.0],"order":[0,1,2],"scale":4})", "tile_oc"},
        {"[1, 2]", "object"},
        {"{", "object"}};
    for (const auto& [text, named] : wrong) {
      const auto refused = space.configuration_from_json(text);
      QVERIFY2(!refused, text);
      QVERIFY2(refused.error().message.find(named) != std::string::npos, refused.error().message.c_str());
    }
  }

  void blobs_are_little_endian() {
    const space::Configuration configuration{{1, 0x01020304, 0xffffffff}};
    const std::string blob = space::to_blob(configuration);
    QCOMPARE(blob, std::string("\x01\0\0\0\x04\x03\x02\x01\xff\xff\xff\xff", 12));
    QCOMPARE(space::configuration_from_blob(blob.data(), blob.size()), configuration);
    QCOMPARE(space::configuration_from_blob(blob.data(), 7).indices.size(), std::size_t{1});
    QCOMPARE(space::configuration_from_blob(nullptr, 0), space::Configuration{});
  }
};

KERNELSCAPE_PLAIN_TEST(SpaceSearchSpaceTest)

}  // namespace kernelscape::space_search_space_test
#include "space_search_space_test.moc"
