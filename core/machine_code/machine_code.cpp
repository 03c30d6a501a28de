#include "core/machine_code/machine_code.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "core/machine_code/assembly_reader.h"
#include "core/machine_code/machine_loops.h"

namespace kernelscape::machine_code {
namespace {

/** Removes labels that no branch refers to, except the kernel's own. */
void drop_unused_labels(std::vector<MachineLine>& lines, std::vector<DecodedInstruction>& decoded,
                        const std::string& entry) {
  std::set<std::string> used{entry};  // copies of the names, because their sources are moved below
  for (const DecodedInstruction& instruction : decoded)
    if (!instruction.target.empty()) used.insert(instruction.target);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (!lines[i].instruction() && !used.contains(lines[i].text)) continue;
    if (kept != i) {
      lines[kept] = std::move(lines[i]);
      decoded[kept] = std::move(decoded[i]);
    }
    ++kept;
  }
  lines.resize(kept);
  decoded.resize(kept);
}

/**
 * Marks spills: places of the stack frame that are also written hold values that did not fit into registers.
 */
void mark_spills(std::vector<DecodedInstruction>& decoded, bool frame_pointer) {
  std::set<std::string> written;
  const auto counts = [frame_pointer](const std::string& place) {
    return !place.empty() && (frame_pointer || place.find("%rbp") == place.npos);
  };
  for (const DecodedInstruction& instruction : decoded)
    if (instruction.writes_frame && counts(instruction.frame_place)) written.insert(instruction.frame_place);
  for (DecodedInstruction& instruction : decoded) {
    if (!counts(instruction.frame_place) || !written.contains(instruction.frame_place)) continue;
    InstructionClass& what = instruction.facts.instruction_class;
    if (what == InstructionClass::Load)
      what = InstructionClass::SpillLoad;
    else if (what == InstructionClass::Store)
      what = InstructionClass::SpillStore;
    else
      instruction.facts.spilled_operand = true;
  }
}

/** Counts products: without fused instructions every product is half of a multiply-add. */
void count_products(std::vector<DecodedInstruction>& decoded) {
  const bool fused = std::ranges::any_of(
      decoded, [](const DecodedInstruction& instruction) { return instruction.facts.multiply_adds > 0; });
  if (fused) return;
  for (DecodedInstruction& instruction : decoded)
    if (instruction.multiplies) instruction.facts.multiply_adds = instruction.lanes;
}

/** Counts instructions one by one. */
class MixCounter {
 public:
  explicit MixCounter(MachineLanguage language) : language_(language) {}

  void add(const DecodedInstruction& instruction) {
    const InstructionFacts& facts = instruction.facts;
    ++mix_.counts[static_cast<std::size_t>(facts.instruction_class)];
    mix_.memory_reads += facts.bytes_loaded > 0 ? 1 : 0;
    mix_.memory_writes += facts.bytes_stored > 0 ? 1 : 0;
    mix_.bytes_loaded += facts.bytes_loaded;
    mix_.bytes_stored += facts.bytes_stored;
    mix_.multiply_adds += facts.multiply_adds;
    mix_.spilled_operands += facts.spilled_operand ? 1 : 0;
    mix_.vector_bits = std::max(mix_.vector_bits, facts.vector_bits);
    for (const auto* names : {&instruction.reads, &instruction.writes, &instruction.addresses})
      for (const std::string& name : *names)
        (is_vector_register(name, language_) ? vectors_ : general_).insert(name);
    if (facts.instruction_class == InstructionClass::MultiplyAdd)
      accumulators_.insert(instruction.writes.begin(), instruction.writes.end());
  }

  InstructionMix result() {
    for (const char* pointer : {"rsp", "sp", "rip"}) general_.erase(pointer);
    mix_.vector_registers = static_cast<int>(vectors_.size());
    mix_.general_registers = static_cast<int>(general_.size());
    mix_.accumulators = static_cast<int>(accumulators_.size());
    return mix_;
  }

 private:
  MachineLanguage language_;
  InstructionMix mix_;
  std::set<std::string> vectors_;
  std::set<std::string> general_;
  std::set<std::string> accumulators_;
};

void count_mixes(MachineCode& code, const std::vector<DecodedInstruction>& decoded) {
  MixCounter whole(code.language);
  std::vector<MixCounter> loops(code.loops.size(), MixCounter(code.language));
  for (std::size_t i = 0; i < code.lines.size(); ++i) {
    if (!code.lines[i].instruction()) continue;
    whole.add(decoded[i]);
    if (code.lines[i].loop >= 0) loops[static_cast<std::size_t>(code.lines[i].loop)].add(decoded[i]);
  }
  code.mix = whole.result();
  for (std::size_t i = 0; i < loops.size(); ++i) code.loops[i].mix = loops[i].result();
}

/**
 * Returns the rank of a loop: by its own multiply-adds, then by its executed instructions, then by its
 * instructions.
 */
std::array<double, 4> heat(const MachineLoop& loop) {
  const double instructions = loop.mix.instructions();
  return {loop.multiply_adds, loop.innermost ? loop.iterations * instructions : 0,
          static_cast<double>(loop.mix.multiply_adds), loop.innermost ? instructions : 0};
}

void choose_hot_loop(MachineCode& code) {
  code.hot_loop = -1;
  for (std::size_t i = 0; i < code.loops.size(); ++i)
    if (code.hot_loop < 0 || heat(code.loops[i]) > heat(*code.hot())) code.hot_loop = static_cast<int>(i);
}

/** The lanes of one source line's multiply-adds in each loop. */
using LaneCounts = std::map<int, std::int64_t>;  // by loop: lanes in one iteration

std::map<int, LaneCounts> lanes_of_lines(const MachineCode& code) {
  std::map<int, LaneCounts> result;
  for (const MachineLine& line : code.lines)
    if (line.instruction() && line.facts.multiply_adds > 0 && line.source_line > 0)
      result[line.source_line][line.loop] += line.facts.multiply_adds;
  return result;
}

/**
 * Returns the iterations of a loop without multiply-adds: the executions of its most frequently executed
 * source line.
 */
double iterations_by_lines(const MachineCode& code, int loop, const codegen::SourceMap& map) {
  double most = 0;
  for (const MachineLine& line : code.lines)
    if (line.loop == loop && line.instruction())
      most = std::max(most, map.work_of(line.source_line).executions);
  return most;
}

}  // namespace

std::vector<std::size_t> MachineCode::lines_of(int source_line) const {
  std::vector<std::size_t> result;
  for (std::size_t i = 0; i < lines.size(); ++i)
    if (source_line > 0 && lines[i].source_line == source_line) result.push_back(i);
  return result;
}

std::vector<int> MachineCode::source_lines_of(const MachineLoop& loop) const {
  std::set<int> result;
  const auto inside = [&](int index) {
    for (; index >= 0; index = loops[static_cast<std::size_t>(index)].parent)
      if (loops[static_cast<std::size_t>(index)].first_line == loop.first_line &&
          loops[static_cast<std::size_t>(index)].last_line == loop.last_line)
        return true;
    return false;
  };
  for (std::size_t i = loop.first_line; i <= loop.last_line && i < lines.size(); ++i)
    if (lines[i].source_line > 0 && inside(lines[i].loop)) result.insert(lines[i].source_line);
  return {result.begin(), result.end()};
}

std::string MachineCode::text(std::size_t first, std::size_t last) const {
  std::string result;
  for (std::size_t i = first; i <= last && i < lines.size(); ++i)
    result += lines[i].instruction() ? "  " + lines[i].text + "\n" : lines[i].text + ":\n";
  return result;
}

MachineCode parse_assembly(std::string_view text, const AssemblyOptions& options) {
  MachineCode code;
  code.language = options.language;
  code.lines = read_assembly(text, options);
  std::vector<DecodedInstruction> decoded;
  for (const MachineLine& line : code.lines)
    decoded.push_back(line.instruction() ? decode_instruction(line.text, code.language)
                                         : DecodedInstruction());
  drop_unused_labels(code.lines, decoded, options.entry);
  const bool frame_pointer =
      std::ranges::any_of(code.lines, [](const MachineLine& line) { return line.text == "movq %rsp, %rbp"; });
  mark_spills(decoded, frame_pointer);
  count_products(decoded);
  for (std::size_t i = 0; i < code.lines.size(); ++i) code.lines[i].facts = decoded[i].facts;
  find_loops(code, decoded);
  count_mixes(code, decoded);
  choose_hot_loop(code);
  return code;
}

void count_iterations(MachineCode& code, const codegen::SourceMap& map) {
  std::vector<double> lanes(code.loops.size());
  for (MachineLoop& loop : code.loops) {
    loop.exact = true;
    loop.multiply_adds = loop.iterations = 0;
  }
  for (const auto& [line, counts] : lanes_of_lines(code)) {
    const auto owner = std::ranges::max_element(counts, {}, [](const auto& count) { return count.second; });
    if (owner->first < 0) continue;
    MachineLoop& loop = code.loops[static_cast<std::size_t>(owner->first)];
    const codegen::LineWork work = map.work_of(line);
    if (work.multiply_adds <= 0) continue;
    loop.multiply_adds += work.multiply_adds;
    loop.exact = loop.exact && work.exact;
    lanes[static_cast<std::size_t>(owner->first)] += static_cast<double>(owner->second);
  }
  for (std::size_t i = 0; i < code.loops.size(); ++i) {
    MachineLoop& loop = code.loops[i];
    const bool counted = lanes[i] > 0;
    loop.exact = loop.exact && counted;
    loop.iterations =
        counted ? loop.multiply_adds / lanes[i] : iterations_by_lines(code, static_cast<int>(i), map);
  }
  choose_hot_loop(code);
}

MachineLanguage own_machine_language() {
#if defined(__x86_64__)
  return MachineLanguage::X86;
#elif defined(__aarch64__)
  return MachineLanguage::Aarch64;
#else
  return MachineLanguage::Other;
#endif
}

}  // namespace kernelscape::machine_code
