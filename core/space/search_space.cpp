#include "core/space/search_space.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <mutex>
#include <nlohmann/json.hpp>

#include "core/base/long_json.h"
#include "core/base/visible_text.h"
#include "core/space/compiled_constraints.h"
#include "core/space/configuration_json.h"
#include "core/space/constraint_graph.h"
#include "core/space/knob_json.h"
#include "core/space/solver_model.h"

namespace kernelscape::space {
namespace {

constexpr double min_acceptance = 1e-3;
constexpr std::uint64_t longest_probe = 16'384;
constexpr std::uint64_t probe_effort = 4'000'000;  // variables and constraints looked at: some milliseconds
constexpr std::uint64_t max_rejections = 1'000'000;
constexpr std::int64_t max_draws_in_vain = 8;

Configuration random_configuration(const std::vector<Knob>& knobs, base::Random& random) {
  Configuration configuration;
  configuration.indices.resize(knobs.size());
  for (std::size_t i = 0; i < knobs.size(); ++i)
    configuration.indices[i] = static_cast<std::uint32_t>(random.below(knobs[i].count()));
  return configuration;
}

/**
 * Returns true if, by a small sample, at least one random configuration in a thousand satisfies the
 * constraints.
 */
bool accepts_often(const std::vector<Knob>& knobs, const ConstraintSystem& constraints) {
  if (constraints.empty()) return true;
  const std::uint64_t entries =
      knobs.size() + constraints.variables().size() + constraints.constraints().size();
  const std::uint64_t draws = std::clamp<std::uint64_t>(probe_effort / entries, 1000, longest_probe);
  const auto needed = static_cast<std::uint64_t>(static_cast<double>(draws) * min_acceptance);
  const CompiledConstraints compiled(constraints);
  base::Random random = base::Random(0).fork("acceptance probe");
  std::uint64_t accepted = 0;
  for (std::uint64_t i = 0; i < draws && accepted < needed; ++i)
    accepted += compiled.satisfied(knobs, random_configuration(knobs, random)) ? 1U : 0U;
  return accepted >= needed;
}

/** In the order of their indices: the last knob is the slowest. */
bool precedes(const Configuration& a, const Configuration& b) {
  return std::lexicographical_compare(a.indices.rbegin(), a.indices.rend(), b.indices.rbegin(),
                                      b.indices.rend());
}

/** Of the bytes of to_blob(), without making them. */
std::uint64_t hash_indices(const Configuration& configuration, std::uint64_t hash) {
  static_assert(std::endian::native == std::endian::little);
  const auto* bytes = reinterpret_cast<const char*>(configuration.indices.data());
  return base::stable_hash({bytes, configuration.indices.size() * sizeof(std::uint32_t)}, hash);
}

/** Digits of a number, the first knob's being the fastest. */
template <typename Number>
void read_digits(const std::vector<Knob>& knobs, Number number, std::vector<std::uint32_t>& digits) {
  for (const Knob& knob : knobs) {
    digits.push_back(static_cast<std::uint32_t>(number % knob.count()));
    number /= knob.count();
  }
}

Status check_knobs(const std::vector<Knob>& knobs) {
  if (knobs.empty()) return fail(ErrorCode::InvalidArgument, "a search space needs at least one knob");
  if (knobs.size() > max_space_knobs)
    return fail(ErrorCode::InvalidArgument,
                fmt::format("{} knobs are over the limit of {}", knobs.size(), max_space_knobs),
                "leave out knobs that have one value only");
  std::vector<std::string_view> names;
  for (const Knob& knob : knobs) names.push_back(knob.name());
  std::ranges::sort(names);
  if (const auto twin = std::ranges::adjacent_find(names); twin != names.end())
    return fail(ErrorCode::InvalidArgument, fmt::format("two knobs are named {}", base::quoted_line(*twin)),
                "rename one of them");
  base::uint128 size = 1;
  for (const Knob& knob : knobs) size = base::saturating_multiply(size, knob.count());
  if (size > base::uint128{1} << 127)
    return fail(ErrorCode::InvalidArgument,
                fmt::format("these {} knobs give more than 2^127 configurations", knobs.size()),
                "leave out knobs or values");
  return {};
}

bool well_formed(const std::vector<Knob>& knobs, const Configuration& configuration) {
  return std::ranges::equal(configuration.indices, knobs, std::ranges::less{}, {}, &Knob::count);
}

/**
 * Returns the cost of checking a group relative to a usual check, which has some hundred names in its rules.
 */
std::uint64_t check_weight(const ConstraintSystem& system) {
  constexpr std::size_t usual_names = 1024;
  std::size_t names = 0;
  for (const Constraint& constraint : system.constraints()) {
    names += 1 + operands(constraint).size();
    if (const auto* listed = std::get_if<InConstraint>(&constraint.rule)) names += listed->values.size();
  }
  return 1 + names / usual_names;
}

/** Counts the satisfying combinations of a group's knobs by enumeration. */
std::uint64_t count_satisfying(const std::vector<Knob>& knobs, const CheckGroup& group) {
  Configuration configuration;
  configuration.indices.assign(knobs.size(), 0);
  const CompiledConstraints compiled(group.system);
  std::uint64_t count = 0;
  for (;;) {
    count += compiled.satisfied(knobs, configuration) ? 1U : 0U;
    std::size_t digit = 0;
    for (; digit < group.knobs.size(); ++digit) {
      std::uint32_t& index = configuration.indices[group.knobs[digit]];
      if (++index < knobs[group.knobs[digit]].count()) break;
      index = 0;
    }
    if (digit == group.knobs.size()) return count;
  }
}

/** Created on the first call. */
struct LazySolver {
  std::once_flag once;
  std::optional<SolverModel> model;
};

}  // namespace

struct SearchSpace::Data {
  std::vector<Knob> knobs;
  ConstraintSystem constraints;
  std::optional<std::vector<Configuration>> members;  ///< explicit ones, ascending
  CompiledConstraints compiled = {};                  ///< of the constraints
  base::uint128 size = 1;
  bool uniform = true;
  std::uint64_t fingerprint = 0;
  std::unique_ptr<LazySolver> solver = std::make_unique<LazySolver>();
};

Result<SearchSpace> SearchSpace::make(std::vector<Knob> knobs, ConstraintSystem constraints) {
  TRY(check_knobs(knobs));
  TRY(constraints.validate(knobs));
  Data data{std::move(knobs), std::move(constraints), std::nullopt};
  data.uniform = accepts_often(data.knobs, data.constraints);
  return SearchSpace(std::move(data));
}

Result<SearchSpace> SearchSpace::make_explicit(std::vector<Knob> knobs, std::vector<Configuration> members) {
  TRY(check_knobs(knobs));
  if (members.empty())
    return fail(ErrorCode::InvalidArgument, "a search space of listed configurations lists none");
  for (std::size_t i = 0; i < members.size(); ++i)
    if (!well_formed(knobs, members[i]))
      return fail(ErrorCode::InvalidArgument,
                  fmt::format("listed configuration {} [{}] does not fit these {} knobs", i,
                              fmt::join(members[i].indices, ", "), knobs.size()),
                  "give each knob the index of one of its values");
  // Those of a recorded space may be a million, and come in order.
  const auto not_before = [](const Configuration& a, const Configuration& b) { return !precedes(a, b); };
  if (std::ranges::adjacent_find(members, not_before) != members.end()) {
    std::ranges::sort(members, precedes);
    members.erase(std::ranges::unique(members).begin(), members.end());
  }
  return SearchSpace(Data{std::move(knobs), {}, std::move(members)});
}

SearchSpace::SearchSpace(Data data) {
  std::uint64_t hash = base::stable_hash(constraints_to_json(data.constraints));
  for (const Knob& knob : data.knobs) {
    data.size *= knob.count();
    hash = base::stable_hash(to_text(*base::LongJson(knob_to_json(knob))), hash);
  }
  if (data.members)
    for (const Configuration& member : *data.members) hash = hash_indices(member, hash);
  data.fingerprint = hash;
  data.compiled = CompiledConstraints(data.constraints);
  data_ = std::make_shared<const Data>(std::move(data));
}

const std::vector<Knob>& SearchSpace::knobs() const { return data_->knobs; }
const ConstraintSystem& SearchSpace::constraints() const { return data_->constraints; }
base::uint128 SearchSpace::size() const { return data_->size; }
bool SearchSpace::samples_uniformly() const { return data_->uniform; }
std::uint64_t SearchSpace::fingerprint() const { return data_->fingerprint; }

std::optional<std::uint32_t> SearchSpace::find_knob(std::string_view name) const {
  const auto found = std::ranges::find(knobs(), name, &Knob::name);
  if (found == knobs().end()) return std::nullopt;
  return static_cast<std::uint32_t>(found - knobs().begin());
}

const std::vector<Configuration>* SearchSpace::explicit_members() const {
  return data_->members ? &*data_->members : nullptr;
}

std::optional<base::uint128> SearchSpace::member_count(std::uint64_t effort) const {
  if (data_->members) return data_->members->size();
  const std::vector<CheckGroup> groups = independent_groups(knobs().size(), constraints());
  base::uint128 walked = 0;
  base::uint128 free = size();
  for (const CheckGroup& group : groups) {
    base::uint128 combinations = 1;
    for (const std::uint32_t knob : group.knobs) combinations *= knobs()[knob].count();
    const base::uint128 cost = base::saturating_multiply(combinations, check_weight(group.system));
    if (cost > effort - walked) return std::nullopt;
    walked += cost;
    free /= combinations;
  }
  base::uint128 count = free;
  for (const CheckGroup& group : groups) count *= count_satisfying(knobs(), group);
  return count;
}

bool SearchSpace::has_restrictions() const { return data_->members || !constraints().empty(); }

bool SearchSpace::contains(const Configuration& configuration) const {
  if (!well_formed(knobs(), configuration)) return false;
  if (data_->members) return std::ranges::binary_search(*data_->members, configuration, precedes);
  return data_->compiled.satisfied(knobs(), configuration);
}

base::uint128 SearchSpace::index_of(const Configuration& configuration) const {
  base::uint128 index = 0;
  for (std::size_t i = knobs().size(); i-- > 0;)
    index = index * knobs()[i].count() + configuration.indices[i];
  return index;
}

Configuration SearchSpace::at(base::uint128 index) const {
  Configuration configuration;
  configuration.indices.reserve(knobs().size());
  // Divisions of 128 bits take several times as long.
  if (index <= std::numeric_limits<std::uint64_t>::max())
    read_digits(knobs(), static_cast<std::uint64_t>(index), configuration.indices);
  else
    read_digits(knobs(), index, configuration.indices);
  return configuration;
}

std::optional<Configuration> SearchSpace::random_member(base::Random& random) const {
  if (data_->members) return (*data_->members)[random.below(data_->members->size())];
  if (data_->uniform) {
    for (std::uint64_t i = 0; i < max_rejections; ++i) {
      Configuration configuration = random_configuration(knobs(), random);
      if (data_->compiled.satisfied(knobs(), configuration)) return configuration;
    }
  }
  const Result<Solution> solution = solver().solve({}, {}, base::Random(random.bits()));
  if (!solution || !std::holds_alternative<Configuration>(*solution)) return std::nullopt;
  return std::get<Configuration>(*solution);
}

std::vector<Configuration> SearchSpace::random_members(std::int64_t draws, base::Random& random) const {
  std::vector<Configuration> members;
  for (std::int64_t draw = 0; draw < draws; ++draw) {
    if (members.empty() && draw == max_draws_in_vain) break;
    if (std::optional<Configuration> member = random_member(random)) members.push_back(std::move(*member));
  }
  return members;
}

const SolverModel& SearchSpace::solver() const {
  LazySolver& solver = *data_->solver;
  std::call_once(solver.once, [&] { solver.model.emplace(data_->knobs, data_->constraints); });
  return *solver.model;
}

Result<SearchSpace> SearchSpace::restricted_by(const ConstraintSystem& limits) const {
  TRY(limits.validate(knobs()));
  if (!data_->members) {
    ConstraintSystem both = constraints();
    both.append(limits);
    return make(knobs(), std::move(both));
  }
  const CompiledConstraints compiled(limits);
  std::vector<Configuration> kept;
  std::ranges::copy_if(*data_->members, std::back_inserter(kept),
                       [&](const Configuration& member) { return compiled.satisfied(knobs(), member); });
  if (kept.empty()) return fail(ErrorCode::Refused, "none of the listed configurations satisfies the limits");
  return make_explicit(knobs(), std::move(kept));
}

std::string SearchSpace::describe(const Configuration& configuration) const {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < knobs().size(); ++i)
    parts.push_back(fmt::format("{}={}", knobs()[i].name(), knobs()[i].describe(configuration.indices[i])));
  return fmt::format("{}", fmt::join(parts, " "));
}

Result<Configuration> SearchSpace::configuration_from_json(std::string_view json) const {
  return space::configuration_from_json(knobs(), json);
}

std::string SearchSpace::configuration_to_json(const Configuration& configuration) const {
  return space::configuration_to_json(knobs(), configuration);
}

}  // namespace kernelscape::space
