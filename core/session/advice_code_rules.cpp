#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "core/base/numbers.h"
#include "core/machine_code/decoded_instruction.h"
#include "core/session/advice_rules.h"

namespace kernelscape::session {
namespace {

using machine_code::InstructionClass;
using machine_code::InstructionMix;
using machine_code::MachineLoop;

constexpr int wide_vector_bits = 512;

const MachineLoop& hot_of(const AdviceFacts& facts) { return *facts.insight->code.hot(); }

/** Returns the lines of one iteration of the hot loop, without those of inner loops. */
std::vector<const machine_code::MachineLine*> hot_instructions(const AdviceFacts& facts) {
  const machine_code::MachineCode& code = facts.insight->code;
  std::vector<const machine_code::MachineLine*> lines;
  for (const machine_code::MachineLine& line : code.lines)
    if (line.instruction() && line.loop == code.hot_loop) lines.push_back(&line);
  return lines;
}

/** Returns products per multiply-add instruction; 0 if there are none. */
double lanes_of_products(const InstructionMix& mix) {
  const int instructions = mix.of(InstructionClass::MultiplyAdd);
  return instructions > 0 ? static_cast<double>(mix.multiply_adds) / instructions : 0;
}

/** Returns the longest loop whose iterations are in registers, with a knob; null: there is none. */
const AdviceLoop* register_tile(const ScheduleFacts& schedule) {
  const AdviceLoop* longest = nullptr;
  for (auto loop = schedule.loops.rbegin(); loop != schedule.loops.rend(); ++loop) {
    const bool in_registers = loop->length == 1 || loop->annotation == schedule::LoopAnnotation::Unrolled ||
                              loop->annotation == schedule::LoopAnnotation::Vectorized;
    if (!in_registers) break;
    if (!loop->knob.empty() && loop->length > 1 && (longest == nullptr || loop->length > longest->length))
      longest = &*loop;
  }
  return longest;
}

/** Returns "a smaller tile in registers (now tile_oc=32)"; the knob is left out if there is none. */
std::string register_tile_text(const AdviceFacts& facts, std::string_view change) {
  const AdviceLoop* tile = register_tile(*facts.schedule);
  return tile == nullptr ? fmt::format("{} tile in registers", change)
                         : fmt::format("{} tile in registers (now {})", change, tile->knob);
}

/** Returns the cycles of a part of the first bound by own counts; 0 if it is not known. */
double bound_part(const AdviceFacts& facts, machine_code::BoundResource resource) {
  for (const machine_code::LoopBound& bound : facts.insight->bounds)
    for (const machine_code::BoundPart& part : bound.parts)
      if (bound.by == "own counts" && part.resource == resource) return part.cycles;
  return 0;
}

/** Returns the multiply-adds of so many bits per cycle; 1 if the processor is not known. */
double multiply_add_ports(const AdviceFacts& facts, double bits) {
  const machine_code::PortModel* model = facts.schedule->processor;
  if (model == nullptr) return 1;
  return bits >= wide_vector_bits ? model->wide_multiply_add_ports : model->multiply_add_ports;
}

/** The memory operand of an instruction, as text, and its registers. */
struct MemoryPlace {
  std::string text;
  machine_code::DecodedInstruction decoded;
};

MemoryPlace memory_place(const machine_code::MachineLine& line, machine_code::MachineLanguage language) {
  MemoryPlace place{{}, machine_code::decode_instruction(line.text, language)};
  const machine_code::SplitInstruction split = machine_code::split_instruction(line.text);
  for (const std::string_view operand : split.operands)
    if (operand.contains('(') || operand.contains('[')) place.text = operand.substr(0, operand.find('{'));
  return place;
}

/** Bytes that one iteration stores to and loads from one place. */
struct ForwardedPlace {
  std::int64_t stored = 0;
  std::int64_t loaded = 0;
};

/** Returns the places of the hot loop, outside of the stack frame, whose addresses do not change in it. */
std::map<std::string, ForwardedPlace> constant_places(const AdviceFacts& facts) {
  std::map<std::string, ForwardedPlace> places;
  std::map<std::string, std::vector<std::string>> addresses;
  std::set<std::string> written;
  for (const machine_code::MachineLine* line : hot_instructions(facts)) {
    const MemoryPlace place = memory_place(*line, facts.insight->code.language);
    written.insert(place.decoded.writes.begin(), place.decoded.writes.end());
    if (place.text.empty() || !place.decoded.frame_place.empty()) continue;
    addresses[place.text] = place.decoded.addresses;
    ForwardedPlace& bytes = places[place.text];
    bytes.stored = std::max(bytes.stored, line->facts.bytes_stored);
    bytes.loaded = std::max(bytes.loaded, line->facts.bytes_loaded);
  }
  std::erase_if(places, [&](const auto& place) {
    return std::ranges::any_of(addresses[place.first],
                               [&](const std::string& name) { return written.contains(name); });
  });
  return places;
}

}  // namespace

std::optional<Advice> advise_on_spills(const AdviceFacts& facts) {
  const InstructionMix& mix = hot_of(facts).mix;
  if (mix.spills() == 0 || mix.instructions() == 0) return std::nullopt;
  const double share = static_cast<double>(mix.spills()) / mix.instructions();
  const std::int64_t registers = facts.schedule->target.vector_registers;
  const std::string needed = registers > 0 && mix.vector_registers >= registers
                                 ? fmt::format("more than the {} vector registers", registers)
                                 : std::string("more registers than there are");
  return Advice{.sentence = fmt::format(
                    "{} of the {} instructions of the hot loop {} values between registers and the stack, "
                    "because the loop needs {}; choose {}.",
                    mix.spills(), mix.instructions(), mix.spills() == 1 ? "moves" : "move", needed,
                    register_tile_text(facts, "a smaller")),
                .effect = share};
}

std::optional<Advice> advise_on_accumulators(const AdviceFacts& facts) {
  const InstructionMix& mix = hot_of(facts).mix;
  const machine_code::PortModel* model = facts.schedule->processor;
  if (model == nullptr || mix.accumulators == 0) return std::nullopt;
  const double ports = multiply_add_ports(facts, mix.vector_bits);
  const double needed = ports * model->multiply_add_latency;
  const double latency = bound_part(facts, machine_code::BoundResource::Latency);
  const double units = bound_part(facts, machine_code::BoundResource::MultiplyAddPorts);
  // A chain that does not reach into the next iteration costs nothing.
  constexpr double noticeably = 1.1;
  if (mix.accumulators >= needed || latency <= noticeably * units) return std::nullopt;
  return Advice{.sentence = fmt::format(
                    "The hot loop adds into {} {}, but {} units with a latency of {} cycles need {} that do "
                    "not wait for each other; choose {}.",
                    mix.accumulators, mix.accumulators == 1 ? "register" : "registers",
                    base::number_text(ports), base::number_text(model->multiply_add_latency),
                    base::number_text(needed), register_tile_text(facts, "a larger")),
                .effect = 1 - std::max(units / latency, mix.accumulators / needed)};
}

std::optional<Advice> advise_on_vector_width(const AdviceFacts& facts) {
  const InstructionMix& mix = hot_of(facts).mix;
  const double lanes = lanes_of_products(mix);
  const auto machine_bits = static_cast<double>(facts.schedule->target.vector_bits);
  if (!(lanes > 0) || machine_bits <= 0) return std::nullopt;
  int widest = 0;
  for (const machine_code::MachineLine* line : hot_instructions(facts))
    if (line->facts.multiply_adds > 0) widest = std::max(widest, line->facts.vector_bits);
  // A scalar instruction names a vector register, but uses one lane.
  const double used_bits = lanes > 1 ? widest : 32;
  // Some processors have fewer units for their widest vectors: 2 x 256 bits are no slower than 1 x 512.
  const double used_per_cycle = used_bits * multiply_add_ports(facts, used_bits);
  const double machine_per_cycle = machine_bits * multiply_add_ports(facts, machine_bits);
  if (used_bits >= machine_bits || used_per_cycle >= machine_per_cycle) return std::nullopt;
  const AdviceLoop* vectorized = nullptr;
  for (const AdviceLoop& loop : facts.schedule->loops)
    if (loop.annotation == schedule::LoopAnnotation::Vectorized) vectorized = &loop;
  const std::string cause =
      vectorized == nullptr || vectorized->knob.empty()
          ? std::string("vectorize a longer loop")
          : fmt::format("make the vectorized loop {} longer (now {})", vectorized->name, vectorized->knob);
  return Advice{.sentence = fmt::format(
                    "The multiply-adds of the hot loop use {} of the {} bits of a vector register; {}.",
                    base::number_text(used_bits), base::number_text(machine_bits), cause),
                .effect = 1 - used_per_cycle / machine_per_cycle};
}

std::optional<Advice> advise_on_gathers(const AdviceFacts& facts) {
  const auto lines = hot_instructions(facts);
  const auto gathers = std::ranges::count_if(lines, [](const machine_code::MachineLine* line) {
    return line->text.starts_with("vgather") || line->text.starts_with("vpgather");
  });
  if (gathers == 0) return std::nullopt;
  // A gather of n lanes costs about as much as n loads.
  constexpr double loads_of_gather = 8;
  const double cost = loads_of_gather * static_cast<double>(gathers);
  return Advice{
      .sentence = fmt::format(
          "{} of the {} instructions of the hot loop {}, which {} each lane separately; choose a vectorized "
          "loop or a layout along which the elements are consecutive.",
          gathers, lines.size(), gathers == 1 ? "is a gather" : "are gathers",
          gathers == 1 ? "loads" : "load"),
      .effect = cost / (cost + static_cast<double>(lines.size()))};
}

std::optional<Advice> advise_on_store_forwarding(const AdviceFacts& facts) {
  const machine_code::PortModel* model = facts.schedule->processor;
  const std::string* chained = nullptr;
  bool wider = false;
  const std::map<std::string, ForwardedPlace> places = constant_places(facts);
  for (const auto& [text, bytes] : places) {
    if (bytes.stored == 0 || bytes.loaded == 0) continue;
    if (chained != nullptr && bytes.loaded <= bytes.stored) continue;
    chained = &text;
    wider = bytes.loaded > bytes.stored;
  }
  if (chained == nullptr) return std::nullopt;
  const machine_code::LoopBound* bound = facts.insight->bound();
  const double latency = (model == nullptr ? 5 : model->load_latency) + (wider ? 10 : 4);
  return Advice{
      .sentence = fmt::format(
          "Each iteration of the hot loop loads {}, which the iteration before it stored{}; keep the "
          "sum in a register over the whole loop, with the reduction innermost.",
          *chained, wider ? " with fewer bytes, so that the store cannot be forwarded" : ""),
      .effect = latency / (latency + (bound == nullptr ? latency : bound->cycles))};
}

std::optional<Advice> advise_on_code_size(const AdviceFacts& facts) {
  const machine_code::PortModel* model = facts.schedule->processor;
  const MachineLoop& hot = hot_of(facts);
  if (model == nullptr) return std::nullopt;
  const auto& lines = facts.insight->code.lines;
  const auto first = lines.begin() + static_cast<std::ptrdiff_t>(hot.first_line);
  const auto last = lines.begin() + static_cast<std::ptrdiff_t>(hot.last_line) + 1;
  const auto instructions = std::count_if(first, last, std::mem_fn(&machine_code::MachineLine::instruction));
  if (instructions <= model->decoded_instructions) return std::nullopt;
  const AdviceLoop* unrolled = nullptr;
  for (const AdviceLoop& loop : facts.schedule->loops)
    if (loop.annotation == schedule::LoopAnnotation::Unrolled && loop.length > 1 &&
        (unrolled == nullptr || loop.length > unrolled->length))
      unrolled = &loop;
  const std::string cause = unrolled == nullptr      ? std::string("unroll less")
                            : unrolled->knob.empty() ? fmt::format("unroll loop {} less", unrolled->name)
                                                     : fmt::format(
                                                           "unroll loop {} less, or make it shorter "
                                                           "(now {})",
                                                           unrolled->name, unrolled->knob);
  // Decoders deliver about four instructions per cycle.
  constexpr double decoded_per_cycle = 4;
  return Advice{.sentence = fmt::format("The hot loop has {} instructions, but the cache of decoded "
                                        "instructions of {} holds {}; {}.",
                                        base::count_text(instructions), model->name,
                                        base::count_text(model->decoded_instructions), cause),
                .effect = std::max(0.05, 1 - decoded_per_cycle / model->issue_width)};
}

std::optional<Advice> advise_on_tails(const AdviceFacts& facts) {
  const machine_code::MachineCode& code = facts.insight->code;
  const double hot_lanes = lanes_of_products(hot_of(facts).mix);
  double all = 0;
  double narrow = 0;
  double lost = 0;  // multiply-add instructions that full vectors would save
  double executed = 0;
  for (const MachineLoop& loop : code.loops) {
    const double lanes = lanes_of_products(loop.mix);
    if (!(lanes > 0) || !(loop.multiply_adds > 0)) continue;
    all += loop.multiply_adds;
    executed += loop.multiply_adds / lanes;
    if (lanes >= hot_lanes) continue;
    narrow += loop.multiply_adds;
    lost += loop.multiply_adds / lanes - loop.multiply_adds / hot_lanes;
  }
  constexpr double noticeable_share = 0.02;
  if (!(all > 0) || narrow < noticeable_share * all) return std::nullopt;
  const AdviceLoop* uneven = nullptr;
  for (const AdviceLoop& loop : facts.schedule->loops)
    if (loop.tile_remainder > 0 && !loop.knob.empty()) uneven = &loop;
  const std::string cause = uneven == nullptr
                                ? std::string("choose tiles that divide their loops")
                                : fmt::format("choose a tile that divides its loop ({} leaves {} over)",
                                              uneven->knob, uneven->tile_remainder);
  return Advice{
      .sentence = fmt::format("{} of the multiply-adds are in tails with fewer lanes than the {} of "
                              "the hot loop; {}.",
                              base::percent_text(narrow / all), base::number_text(hot_lanes), cause),
      .effect = lost / executed};
}

}  // namespace kernelscape::session
