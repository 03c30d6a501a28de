#include "core/machine_code/loop_bound.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <functional>
#include <map>

#include "core/machine_code/decoded_instruction.h"

namespace kernelscape::machine_code {
namespace {

constexpr int wide_bits = 512;
constexpr int first_rounds = 16;  // iterations until the state before the loop has no effect
constexpr int counted_rounds = 16;
constexpr double rounding = 1e-9;

constexpr std::array<std::string_view, bound_resource_count> resource_names{
    "multiply-add units", "vector units",   "load units", "store units", "latency",
    "instruction issue",  "execution units"};

/** Returns the decoded instructions of one iteration, in the order of the text. */
std::vector<DecodedInstruction> body_of(const MachineCode& code, const MachineLoop& loop) {
  std::vector<DecodedInstruction> body;
  const auto index = static_cast<int>(&loop - code.loops.data());
  for (std::size_t i = loop.first_line; i <= loop.last_line && i < code.lines.size(); ++i) {
    const MachineLine& line = code.lines[i];
    if (line.instruction() && line.loop == index)
      body.push_back(decode_instruction(line.text, code.language));
  }
  return body;
}

/** The cycles of the units that a loop's instructions use. */
struct UnitCycles {
  double multiply_add = 0;
  double vector = 0;
  double load = 0;
  double store = 0;
  double issue = 0;
};

bool compares(const DecodedInstruction& instruction) {
  return instruction.facts.instruction_class == InstructionClass::Integer &&
         instruction.facts.vector_bits == 0;
}

UnitCycles unit_cycles(const std::vector<DecodedInstruction>& body, const PortModel& model) {
  UnitCycles cycles;
  for (std::size_t i = 0; i < body.size(); ++i) {
    const InstructionFacts& facts = body[i].facts;
    const bool wide = facts.vector_bits == wide_bits;
    const InstructionClass what = facts.instruction_class;
    // Clearing or renaming a register uses no unit.
    const bool free = body[i].reads.empty() && !body[i].writes.empty();
    if (what == InstructionClass::MultiplyAdd || body[i].multiplies)
      cycles.multiply_add += (body[i].bf16_dot ? model.bf16_dot_slots : 1) /
                             (wide ? model.wide_multiply_add_ports : model.multiply_add_ports);
    const bool vector = what == InstructionClass::MultiplyAdd || what == InstructionClass::Arithmetic ||
                        what == InstructionClass::Shuffle;
    if (vector && !free) cycles.vector += 1 / (wide ? model.wide_vector_ports : model.vector_ports);
    if (facts.bytes_loaded > 0)
      cycles.load += 1 / (facts.bytes_loaded > 32 ? model.wide_load_ports : model.load_ports);
    if (facts.bytes_stored > 0)
      cycles.store += 1 / (facts.bytes_stored > 32 ? model.wide_store_ports : model.store_ports);
    // A comparison and the following jump are issued as one instruction.
    const bool joined = what == InstructionClass::Branch && i > 0 && compares(body[i - 1]);
    if (!joined) cycles.issue += 1 / model.issue_width;
  }
  return cycles;
}

/** Returns the cycles from an instruction's operands to its result. */
double latency_of(const DecodedInstruction& instruction, const PortModel& model) {
  switch (instruction.facts.instruction_class) {
    case InstructionClass::MultiplyAdd:
      return model.multiply_add_latency;
    case InstructionClass::Arithmetic:
      return instruction.multiplies ? model.multiply_add_latency : model.add_latency;
    case InstructionClass::Shuffle:
      return model.shuffle_latency;
    case InstructionClass::Load:
    case InstructionClass::SpillLoad:
    case InstructionClass::Store:
    case InstructionClass::SpillStore:
      return 0;  // the load's latency is counted with its address
    default:
      return 1;
  }
}

/** Returns the cycles of each further iteration if only results are waited for. */
double carried_latency(const std::vector<DecodedInstruction>& body, const PortModel& model) {
  std::map<std::string, double> ready;  // by register
  const auto when = [&ready](const std::vector<std::string>& names) {
    double time = 0;
    for (const std::string& name : names)
      if (const auto found = ready.find(name); found != ready.end()) time = std::max(time, found->second);
    return time;
  };
  const auto latest = [&ready] {
    double time = 0;
    for (const auto& [name, moment] : ready) time = std::max(time, moment);
    return time;
  };
  double before = 0;
  for (int round = 0; round < first_rounds + counted_rounds; ++round) {
    if (round == first_rounds) before = latest();
    for (const DecodedInstruction& instruction : body) {
      double start = when(instruction.reads);
      if (instruction.facts.bytes_loaded > 0)
        start = std::max(start, when(instruction.addresses) + model.load_latency);
      const double done = start + latency_of(instruction, model);
      for (const std::string& name : instruction.writes) ready[name] = done;
    }
  }
  return (latest() - before) / counted_rounds;
}

/** Fills in the values that follow from the parts. */
void finish(LoopBound& bound, const MachineLoop& loop) {
  std::ranges::stable_sort(bound.parts, std::ranges::greater(), &BoundPart::cycles);
  if (bound.parts.empty()) return;
  bound.resource = bound.parts.front().resource;
  bound.cycles = std::max(bound.cycles, bound.parts.front().cycles);
  if (bound.cycles > 0)
    bound.multiply_adds_per_cycle = static_cast<double>(loop.mix.multiply_adds) / bound.cycles;
}

/** Returns the number after a label of llvm-mca's summary; nullopt if it is not a number, such as "nan". */
std::optional<double> summary_number(std::string_view output, std::string_view label) {
  const std::size_t at = output.find(label);
  if (at == output.npos) return {};
  std::string_view rest = output.substr(at + label.size());
  rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
  double value = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
  if (error != std::errc() || !std::isfinite(value)) return {};
  return value;
}

/** Returns the lines from a heading to the next empty line. */
std::string_view section(std::string_view output, std::string_view heading) {
  const std::size_t at = output.find(heading);
  if (at == output.npos) return {};
  const std::string_view rest = output.substr(at + heading.size());
  return rest.substr(0, rest.find("\n\n"));
}

/** Returns the words of a line, in order. */
std::vector<std::string_view> text_of_words(std::string_view line) {
  std::vector<std::string_view> words;
  while (true) {
    const std::size_t first = line.find_first_not_of(" \t\n");
    if (first == line.npos) return words;
    line.remove_prefix(first);
    const std::size_t end = std::min(line.find_first_of(" \t\n"), line.size());
    words.push_back(line.substr(0, end));
    line.remove_prefix(end);
  }
}

/**
 * Returns the unit with the most cycles: "[4] - Zn3FP0" are the names, "[0] [1] ..." and a line of numbers
 * the cycles. A unit has the same word position in both.
 */
std::string busiest_unit(std::string_view output) {
  std::map<std::string_view, std::string> names;
  const std::vector<std::string_view> named = text_of_words(section(output, "Resources:"));
  for (std::size_t i = 0; i + 2 < named.size(); ++i)
    if (named[i].starts_with('[') && named[i + 1] == "-") names[named[i]] = named[i + 2];
  const std::vector<std::string_view> words =
      text_of_words(section(output, "Resource pressure per iteration:"));
  const auto head = static_cast<std::size_t>(
      std::ranges::count_if(words, [](std::string_view word) { return word.starts_with('['); }));
  double most = 0;
  std::string unit;
  for (std::size_t i = 0; i < head && head + i < words.size(); ++i) {
    const std::string_view word = words[head + i];
    double cycles = 0;
    std::from_chars(word.data(), word.data() + word.size(), cycles);
    if (cycles <= most) continue;
    most = cycles;
    unit = names.contains(words[i]) ? names[words[i]] : std::string(words[i]);
  }
  return unit;
}

}  // namespace

std::string_view name_of(BoundResource resource) {
  return resource_names[static_cast<std::size_t>(resource)];
}

std::optional<LoopBound> bound_by_counts(const MachineCode& code, const MachineLoop& loop,
                                         const ChosenPortModel& processor) {
  if (code.language != MachineLanguage::X86 || processor.model == nullptr) return {};
  const PortModel& model = *processor.model;
  const std::vector<DecodedInstruction> body = body_of(code, loop);
  if (body.empty()) return {};
  const UnitCycles cycles = unit_cycles(body, model);
  LoopBound bound;
  bound.by = "own counts";
  bound.processor = model.name;
  bound.assumed = !processor.own;
  bound.parts = {{BoundResource::MultiplyAddPorts, cycles.multiply_add},
                 {BoundResource::VectorPorts, cycles.vector},
                 {BoundResource::LoadPorts, cycles.load},
                 {BoundResource::StorePorts, cycles.store},
                 {BoundResource::Latency, carried_latency(body, model)},
                 {BoundResource::FrontEnd, cycles.issue}};
  finish(bound, loop);
  return bound;
}

std::string text_for_mca(const MachineCode& code, const MachineLoop& loop) {
  const auto index = static_cast<int>(&loop - code.loops.data());
  std::string text;
  for (std::size_t i = loop.first_line; i <= loop.last_line && i < code.lines.size(); ++i)
    if (code.lines[i].loop == index)
      text += code.lines[i].text + (code.lines[i].instruction() ? "\n" : ":\n");
  return text;
}

std::optional<LoopBound> parse_mca_output(std::string_view output, const MachineLoop& loop) {
  const std::optional<double> iterations = summary_number(output, "Iterations:");
  const std::optional<double> cycles = summary_number(output, "Total Cycles:");
  const std::optional<double> throughput = summary_number(output, "Block RThroughput:");
  const std::optional<double> width = summary_number(output, "Dispatch Width:");
  if (!iterations || *iterations < 1 || !cycles || !(*cycles > 0) || !throughput) return {};
  LoopBound bound;
  bound.instructions_per_cycle = summary_number(output, "IPC:");
  const double each = *cycles / *iterations;
  const std::optional<double> operations = summary_number(output, "Total uOps:");
  const double dispatch = width && *width > 0 && operations ? *operations / *iterations / *width : 0;
  bound.parts.push_back({BoundResource::Ports, *throughput, busiest_unit(output)});
  if (dispatch > 0) bound.parts.push_back({BoundResource::FrontEnd, dispatch});
  // Block RThroughput is the larger of the two: if it equals the dispatch time, the units are not the bound.
  if (dispatch >= *throughput * (1 - rounding) && dispatch > 0) std::ranges::reverse(bound.parts);
  constexpr double noticeably = 1.1;
  if (each > noticeably * *throughput) bound.parts.push_back({BoundResource::Latency, each});
  bound.cycles = each;
  finish(bound, loop);
  if (!(bound.cycles > 0) || !std::isfinite(bound.cycles)) return {};
  return bound;
}

}  // namespace kernelscape::machine_code
