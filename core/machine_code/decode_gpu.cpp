#include <algorithm>
#include <cctype>
#include <charconv>

#include "core/machine_code/decoded_instruction.h"

namespace kernelscape::machine_code {
namespace {

constexpr int threads_of_a_warp = 32;

/**
 * Returns the multiply-adds per thread of "m16n8k16": the product of the three numbers over the threads of a
 * warp; 0 if there is no such part.
 */
std::int64_t matrix_multiply_adds(std::string_view name) {
  std::int64_t product = 1;
  std::size_t at = name.find(".m");
  if (at == name.npos) return 0;
  ++at;
  for (const char letter : {'m', 'n', 'k'}) {
    if (at >= name.size() || name[at] != letter) return 0;
    int extent = 0;
    const auto [end, error] = std::from_chars(name.data() + at + 1, name.data() + name.size(), extent);
    if (error != std::errc() || extent <= 0 || extent > 1024) return 0;
    product *= extent;
    at = static_cast<std::size_t>(end - name.data());
  }
  return product / threads_of_a_warp;
}

/** Returns the bytes stated by a part of the name: .f32 4, .v4 times 4; those of matrices are not stated. */
std::int64_t ptx_bytes(std::string_view name) {
  if (begins_with_any(name, "wmma. ldmatrix stmatrix")) return 0;
  const bool has = name.find(".v4") != name.npos;
  const std::int64_t lanes = has ? 4 : name.find(".v2") != name.npos ? 2 : 1;
  const std::string_view type = name.substr(std::min(name.rfind('.'), name.size()));
  const std::int64_t bytes = type.ends_with("128")  ? 16
                             : type.ends_with("64") ? 8
                             : type.ends_with("16") ? 2
                             : type.ends_with("8")  ? 1
                                                    : 4;
  return lanes * bytes;
}

/**
 * Adds the registers in a text: in PTX names that begin with %, such as %f12; in SASS names that begin with R
 * or UR.
 */
void add_registers(std::string_view text, std::string_view start, std::vector<std::string>& names) {
  for (std::size_t at = text.find(start); at != text.npos; at = text.find(start, at + 1)) {
    const bool inside =
        at > 0 && (std::isalnum(static_cast<unsigned char>(text[at - 1])) != 0 || text[at - 1] == '%');
    std::size_t end = at + start.size();
    while (end < text.size() && std::isalnum(static_cast<unsigned char>(text[end])) != 0) ++end;
    if (!inside && end > at + start.size()) names.emplace_back(text.substr(at, end - at));
  }
}

/** Fills in reads and writes of registers: the first operand is written, except by stores and branches. */
void gpu_registers(const SplitInstruction& split, std::string_view start, DecodedInstruction& result) {
  const InstructionClass what = result.facts.instruction_class;
  const bool writes = what != InstructionClass::Store && what != InstructionClass::SpillStore &&
                      what != InstructionClass::Branch && what != InstructionClass::Barrier;
  for (std::size_t i = 0; i < split.operands.size(); ++i) {
    const bool address = split.operands[i].find('[') != std::string_view::npos;
    add_registers(split.operands[i], start,
                  address            ? result.addresses
                  : i == 0 && writes ? result.writes
                                     : result.reads);
  }
}

/** Removes the predicate before an instruction such as "@%p1 bra X"; returns true if there was one. */
bool drop_predicate(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  if (!text.starts_with('@')) return false;
  text.remove_prefix(std::min(text.find_first_of(" \t"), text.size()));
  return true;
}

std::int64_t ptx_multiply_adds(std::string_view name) {
  if (!begins_with_any(name, "fma. mad.")) return matrix_multiply_adds(name);
  return name.find("x2") != name.npos ? 2 : 1;
}

InstructionClass ptx_class(std::string_view name) {
  if (begins_with_any(name, "fma. wmma.mma mma.sync mad.f wgmma.mma")) return InstructionClass::MultiplyAdd;
  if (name.starts_with("ld.local")) return InstructionClass::SpillLoad;
  if (name.starts_with("st.local")) return InstructionClass::SpillStore;
  if (begins_with_any(name, "ld. ldu. wmma.load ldmatrix cp.async tex.")) return InstructionClass::Load;
  if (begins_with_any(name, "st. wmma.store stmatrix red.")) return InstructionClass::Store;
  if (begins_with_any(name, "bar. barrier. membar fence cp.async.wait")) return InstructionClass::Barrier;
  if (begins_with_any(name, "bra ret exit call brx")) return InstructionClass::Branch;
  if (begins_with_any(name, "mov. cvt. cvta. shfl prmt")) return InstructionClass::Shuffle;
  const std::string_view type = name.substr(std::min(name.rfind('.'), name.size()));
  if (begins_with_any(type, ".f16 .f32 .f64 .bf16")) return InstructionClass::Arithmetic;
  if (begins_with_any(name,
                      "add. sub. mul. mad. shl. shr. and. or. xor. not. setp. selp. min. max. rem. div. neg. "
                      "abs. bfe. bfi. shf. lop3."))
    return InstructionClass::Integer;
  return InstructionClass::Other;
}

InstructionClass sass_class(std::string_view name) {
  if (begins_with_any(name, "FFMA HFMA2 DFMA HMMA IMMA DMMA HGMMA")) return InstructionClass::MultiplyAdd;
  if (begins_with_any(name, "LDL")) return InstructionClass::SpillLoad;
  if (begins_with_any(name, "STL")) return InstructionClass::SpillStore;
  if (begins_with_any(name, "BAR DEPBAR LDGDEPBAR MEMBAR WARPSYNC")) return InstructionClass::Barrier;
  if (begins_with_any(name, "LDG LDS LD. LDC LDSM ULDC LDCU UTMA")) return InstructionClass::Load;
  if (is_any(name, "LD")) return InstructionClass::Load;
  if (begins_with_any(name, "STG STS ST. RED ATOM")) return InstructionClass::Store;
  if (begins_with_any(name, "BRA EXIT RET CALL BRX JMP BSSY BSYNC")) return InstructionClass::Branch;
  if (begins_with_any(name, "FADD FMUL HADD HMUL DADD DMUL FMNMX FSETP FSEL MUFU FSET HMNMX"))
    return InstructionClass::Arithmetic;
  if (begins_with_any(name, "MOV UMOV PRMT SHFL F2F F2I I2F F2FP CS2R S2R S2UR R2UR I2FP MOVM"))
    return InstructionClass::Shuffle;
  if (begins_with_any(name,
                      "IADD IMAD LEA ISETP LOP3 SHF ULEA UIADD UIMAD ULOP3 USHF UISETP SEL IMNMX IABS PLOP3 "
                      "UPLOP3 VIADD USEL P2R R2P BMSK SGXT UMAD VIMNMX"))
    return InstructionClass::Integer;
  return InstructionClass::Other;
}

/** Returns the multiply-adds per thread: "HMMA.16816.F32" is 16 x 8 x 16, of which a thread does 1/32. */
std::int64_t sass_multiply_adds(std::string_view name) {
  if (name.starts_with("HFMA2")) return 2;
  if (name.starts_with("HMMA") || name.starts_with("IMMA") || name.starts_with("DMMA")) {
    if (name.find(".16816") != name.npos) return 16 * 8 * 16 / threads_of_a_warp;
    if (name.find(".1688") != name.npos) return 16 * 8 * 8 / threads_of_a_warp;
    if (name.find(".884") != name.npos) return 8 * 8 * 4 / threads_of_a_warp;
    return 0;
  }
  return 1;
}

/** Returns the bytes stated by a part of the name: LDG.E.128 16. */
std::int64_t sass_bytes(std::string_view name) {
  return name.find(".128") != name.npos   ? 16
         : name.find(".64") != name.npos  ? 8
         : name.find(".U16") != name.npos ? 2
         : name.find(".U8") != name.npos  ? 1
                                          : 4;
}

/** Sets the target of a PTX branch; a call returns. */
void follow_ptx_branch(const SplitInstruction& split, DecodedInstruction& result) {
  if (split.mnemonic.starts_with("call")) result.leaves = false;
  if (split.mnemonic.starts_with("bra") && !split.operands.empty()) result.target = split.operands[0];
}

/** Sets the target of a SASS branch; convergence markers are not branches. */
void follow_sass_branch(const SplitInstruction& split, DecodedInstruction& result) {
  if (begins_with_any(split.mnemonic, "BSSY BSYNC CALL")) result.leaves = false;
  if (is_any(split.mnemonic, "BSSY BSYNC")) result.facts.instruction_class = InstructionClass::Other;
  if (!split.mnemonic.starts_with("BRA") || split.operands.empty()) return;
  // Uniform branches name a predicate first; nvdisasm writes `(.L_x_1), cuobjdump 0x1f0.
  std::string_view target = split.operands.back();
  if (target.starts_with("`(") && target.ends_with(')')) target = target.substr(2, target.size() - 3);
  result.target = target;
  if (split.operands.size() > 1) result.leaves = false;
}

/** The parts that differ between the languages of GPUs, for one thread. */
struct GpuIdentifiers {
  InstructionClass instruction_class = InstructionClass::Other;
  bool shared_memory = false;
  std::int64_t multiply_adds = 0;  ///< of a multiply-add
  std::int64_t bytes = 0;          ///< of a load or store
};

GpuIdentifiers ptx_words(std::string_view name) {
  return {ptx_class(name), name.find(".shared") != name.npos, ptx_multiply_adds(name), ptx_bytes(name)};
}

GpuIdentifiers sass_words(std::string_view name) {
  return {sass_class(name), begins_with_any(name, "LDS STS"), sass_multiply_adds(name), sass_bytes(name)};
}

/**
 * Decodes an instruction of a GPU.
 * @param follow_branch sets the target of a branch, and whether execution leaves
 * @param register_start prefix of register names
 */
DecodedInstruction decode_gpu(std::string_view text, GpuIdentifiers (*text_of_words)(std::string_view name),
                              void (*follow_branch)(const SplitInstruction&, DecodedInstruction&),
                              std::string_view register_start) {
  DecodedInstruction result;
  const bool predicated = drop_predicate(text);
  const SplitInstruction split = split_instruction(text);
  const GpuIdentifiers words = text_of_words(split.mnemonic);
  const InstructionClass what = words.instruction_class;
  InstructionFacts& facts = result.facts;
  facts.instruction_class = what;
  facts.shared_memory = words.shared_memory;
  if (what == InstructionClass::MultiplyAdd) facts.multiply_adds = words.multiply_adds;
  if (what == InstructionClass::Load || what == InstructionClass::SpillLoad) facts.bytes_loaded = words.bytes;
  if (what == InstructionClass::Store || what == InstructionClass::SpillStore)
    facts.bytes_stored = words.bytes;
  if (what == InstructionClass::Branch) {
    result.leaves = !predicated;
    follow_branch(split, result);
  }
  gpu_registers(split, register_start, result);
  return result;
}

}  // namespace

DecodedInstruction decode_ptx(std::string_view text) {
  return decode_gpu(text, ptx_words, follow_ptx_branch, "%");
}

DecodedInstruction decode_sass(std::string_view text) {
  return decode_gpu(text, sass_words, follow_sass_branch, "R");
}

}  // namespace kernelscape::machine_code
