#include <algorithm>
#include <charconv>

#include "core/machine_code/decoded_instruction.h"

namespace kernelscape::machine_code {
namespace {

/**
 * Returns one name for all widths of a register: v3 for v3.4s, q3, d3, s3; x3 for x3 and w3; empty if it is
 * not a register.
 */
std::string arm_register(std::string_view text) {
  if (text.starts_with('{') || text.starts_with('[')) text.remove_prefix(1);
  const std::string_view name =
      text.substr(0, text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789"));
  if (name == "sp" || name == "wsp") return "sp";
  if (name.size() < 2 || name.size() > 3 || name.find_first_not_of("0123456789", 1) != name.npos) return {};
  if (std::string_view("vqdshb").find(name[0]) != std::string_view::npos)
    return "v" + std::string(name.substr(1));
  return name[0] == 'x' || name[0] == 'w' ? "x" + std::string(name.substr(1)) : std::string();
}

/** Returns the bytes of a register as written: q0 16, d0 8, s0 4, x0 8, v0.4s 16, v0.2s 8. */
int arm_bytes(std::string_view text) {
  if (text.starts_with('{')) text.remove_prefix(1);
  if (const std::size_t dot = text.find('.'); dot != text.npos)
    return is_any(text.substr(dot, 4), ".2s .4h .8b .1d .2s} .1d}") ? 8 : 16;
  switch (text.empty() ? ' ' : text[0]) {
    case 'q':
    case 'v':
      return 16;
    case 's':
    case 'w':
      return 4;
    case 'h':
      return 2;
    case 'b':
      return 1;
    default:
      return 8;
  }
}

/** Returns the lanes of floating-point numbers: v0.4s 4, v0.2d 2, s0 1. */
int arm_lanes(std::string_view text) {
  const std::size_t dot = text.find('.');
  int lanes = 1;
  if (dot != text.npos) std::from_chars(text.data() + dot + 1, text.data() + text.size(), lanes);
  return std::clamp(lanes, 1, 64);
}

constexpr std::string_view arm_fused = "fmla fmls fmadd fmsub fnmadd fnmsub bfdot sdot udot";
constexpr std::string_view arm_shuffles =
    "dup ins zip uzp trn ext tbl fmov mov movi umov smov rev fcvt scvtf ucvtf";
constexpr std::string_view arm_integers =
    "add sub mul madd msub smull umull sdiv udiv and orr eor bic lsl lsr asr ror neg mov movz movk movn cmp "
    "cmn "
    "tst csel cset cinc csinc adr adrp sxtw uxtw ubfx sbfx ubfiz sbfiz ccmp smaddl umaddl smulh umulh mvn "
    "extr";

}  // namespace

DecodedInstruction decode_aarch64(std::string_view text) {
  DecodedInstruction result;
  const SplitInstruction split = split_instruction(text);
  const std::string_view name = split.mnemonic;
  InstructionClass& what = result.facts.instruction_class;
  if (name == "b" || name.starts_with("b.") || is_any(name, "bl br blr ret cbz cbnz tbz tbnz")) {
    what = InstructionClass::Branch;
    result.leaves = is_any(name, "b br ret");
    if (!split.operands.empty() && !is_any(name, "bl br blr ret")) result.target = split.operands.back();
    return result;
  }
  if (split.operands.empty()) return result;
  const std::string first = arm_register(split.operands[0]);
  const bool vector = first.starts_with('v');
  if (vector) result.facts.vector_bits = 8 * std::min(16, arm_bytes(split.operands[0]));
  const bool loads = begins_with_any(name, "ld");
  const bool stores = begins_with_any(name, "st");
  const bool fused = begins_with_any(name, arm_fused);
  if (loads)
    what = InstructionClass::Load;
  else if (stores)
    what = InstructionClass::Store;
  else if (fused)
    what = InstructionClass::MultiplyAdd;
  else if (vector && begins_with_any(name, arm_shuffles))
    what = InstructionClass::Shuffle;
  else if (vector)
    what = InstructionClass::Arithmetic;
  else if (begins_with_any(name, arm_integers))
    what = InstructionClass::Integer;
  result.lanes = arm_lanes(split.operands[0]);
  if (fused) result.facts.multiply_adds = result.lanes;
  result.multiplies = vector && name == "fmul";
  const bool pair = name.starts_with("ldp") || name.starts_with("stp");
  if (loads || stores) {
    const int bytes = (pair ? 2 : 1) * (name == "ld1r" ? 4 : arm_bytes(split.operands[0]));
    (loads ? result.facts.bytes_loaded : result.facts.bytes_stored) = bytes;
  }
  for (std::size_t i = 0; i < split.operands.size(); ++i) {
    const std::string_view operand = split.operands[i];
    const std::string named = arm_register(operand);
    if (operand.starts_with('[')) {
      result.addresses.push_back(named);
      if (named == "sp") result.frame_place = operand;
      result.writes_frame = stores;
    } else if (!named.empty()) {
      const bool written = !stores && !is_any(name, "cmp cmn tst ccmp") && (i == 0 || (i == 1 && pair));
      if (written) result.writes.push_back(named);
      if (!written || begins_with_any(name, "fmla fmls ins movk bfdot sdot udot"))
        result.reads.push_back(named);
    }
  }
  return result;
}

}  // namespace kernelscape::machine_code
