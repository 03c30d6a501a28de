#include <algorithm>
#include <cctype>
#include <tuple>
#include <utility>

#include "core/machine_code/decoded_instruction.h"

namespace kernelscape::machine_code {
namespace {

/** An operand of AT&T syntax. */
struct X86Operand {
  enum class Kind : std::uint8_t { Immediate, Register, Memory, Label } kind = Kind::Label;
  std::string name;                    ///< register: v3, rax; label: as written
  int bits = 0;                        ///< register: width
  std::vector<std::string> addresses;  ///< memory: its registers
  bool in_frame = false;               ///< memory: relative to the stack pointer
  int broadcast = 0;                   ///< memory: {1to8} gives 8
  std::string text;
};

bool is_digit(char sign) { return sign >= '0' && sign <= '9'; }

/**
 * Returns one name for rax, eax, ax and al, and the width; "v3" for xmm3, ymm3, zmm3. Without the percent
 * sign.
 */
std::pair<std::string, int> x86_register(std::string_view name) {
  static constexpr std::string_view letters = "abcd";
  if (name.size() > 3 && name.substr(1, 2) == "mm" && is_digit(name[3])) {
    const int bits = name[0] == 'z' ? 512 : name[0] == 'y' ? 256 : name[0] == 'x' ? 128 : 0;
    if (bits > 0) return {"v" + std::string(name.substr(3)), bits};
  }
  if (name.size() > 1 && name[0] == 'r' && is_digit(name[1])) {
    const char last = name.back();
    const int bits = last == 'd' ? 32 : last == 'w' ? 16 : last == 'b' ? 8 : 64;
    return {std::string(bits == 64 ? name : name.substr(0, name.size() - 1)), bits};
  }
  if (name.size() == 2 && (name[1] == 'l' || name[1] == 'h') && letters.find(name[0]) != letters.npos)
    return {std::string("r") + name[0] + "x", 8};
  if (name.size() == 3 && name[2] == 'l') return {"r" + std::string(name.substr(0, 2)), 8};  // sil, bpl
  if (name.size() == 3 && (name[0] == 'r' || name[0] == 'e'))
    return {"r" + std::string(name.substr(1)), name[0] == 'r' ? 64 : 32};
  if (name.size() == 2 && name[0] != 'k') return {"r" + std::string(name), 16};
  return {std::string(name), 64};  // k1 and other registers
}

/** Returns every register in a text, which follows a percent sign. */
std::vector<std::string> named_registers(std::string_view text) {
  std::vector<std::string> names;
  for (std::size_t at = text.find('%'); at != text.npos; at = text.find('%', at + 1)) {
    std::size_t end = at + 1;
    while (end < text.size() && std::isalnum(static_cast<unsigned char>(text[end])) != 0) ++end;
    if (end > at + 1) names.push_back(x86_register(text.substr(at + 1, end - at - 1)).first);
  }
  return names;
}

X86Operand x86_operand(std::string_view text) {
  X86Operand operand;
  operand.text = text;
  if (text.empty()) return operand;
  if (text.front() == '$') {
    operand.kind = X86Operand::Kind::Immediate;
  } else if (text.find('(') != text.npos) {
    operand.kind = X86Operand::Kind::Memory;
    operand.addresses = named_registers(text.substr(text.find('('), text.find(')') - text.find('(')));
    operand.in_frame =
        operand.addresses.size() == 1 && (operand.addresses[0] == "rsp" || operand.addresses[0] == "rbp");
    if (const std::size_t at = text.find("{1to"); at != text.npos)
      for (std::size_t i = at + 4; i < std::min(text.size(), at + 6) && is_digit(text[i]); ++i)
        operand.broadcast = 10 * operand.broadcast + (text[i] - '0');
    operand.text = text.substr(0, text.find('{'));
  } else if (text.front() == '%' || text.front() == '*') {
    operand.kind = X86Operand::Kind::Register;
    const std::string_view name = text.substr(1, text.find('{') - 1);
    std::tie(operand.name, operand.bits) = x86_register(name);
  }
  return operand;
}

/**
 * Returns the products per 32-bit lane: four int8 (vpdpbusd), two int16 (vpdpwssd) or bf16 (vdpbf16ps); 0 if
 * it is not a dot product.
 */
int products_of_dot(std::string_view mnemonic) {
  if (begins_with_any(mnemonic, "vpdpb")) return 4;
  return begins_with_any(mnemonic, "vpdpw vdpbf16") ? 2 : 0;
}

/** Returns the bytes of one element of a vector instruction: ps and ss 4, pd and sd 8; whole numbers 4. */
int element_bytes(std::string_view mnemonic) {
  if (products_of_dot(mnemonic) > 0) return 4;
  return mnemonic.ends_with("pd") || mnemonic.ends_with("sd") || mnemonic.ends_with('q') ? 8 : 4;
}

bool is_scalar(std::string_view mnemonic) {
  return products_of_dot(mnemonic) == 0 && (mnemonic.ends_with("ss") || mnemonic.ends_with("sd"));
}

/**
 * Returns the bytes of an instruction on general registers: by its last letter, otherwise by its registers.
 */
int general_bytes(std::string_view mnemonic, int register_bits) {
  if (register_bits > 0) return register_bits / 8;
  switch (mnemonic.empty() ? ' ' : mnemonic.back()) {
    case 'b':
      return 1;
    case 'w':
      return 2;
    case 'l':
      return 4;
    default:
      return 8;
  }
}

constexpr std::string_view x86_fused = "vfmadd vfnmadd vfmsub vfnmsub";
constexpr std::string_view x86_vector_moves =
    "movaps movups movapd movupd movdqa movdqu movss movsd movq movd movntps movntdq movlps movhps movhpd "
    "movlpd "
    "lddqu";
constexpr std::string_view x86_shuffles =
    "unpck shuf perm pshuf punpck insert extract pinsr pextr blend pblend pack palign align broadcast "
    "pbroadcast "
    "movhl movlh movdup movddup movsldup movshdup cvt compress expand pmovzx pmovsx movmsk kmov pslldq "
    "psrldq";
constexpr std::string_view x86_integers =
    "add sub imul mul inc dec cmp test and or xor shl sal sar shr neg not cqto cltq cltd cwtl idiv div push "
    "pop "
    "set cmov mov lea sbb adc bt xchg rol ror sarx shlx shrx mulx bextr blsr popcnt lzcnt tzcnt bsr bsf "
    "leave "
    "cbtw cqo cdq rorx andn";
constexpr std::string_view x86_silent =
    "nop nopw nopl endbr vzeroupper vzeroall prefetch ud2 data16 hlt pause";

/** Decodes one instruction, in steps that each determine one property. */
class X86Decoder {
 public:
  explicit X86Decoder(std::string_view text) : split_(split_instruction(text)) {
    // A separate prefix: "rep stosq", "lock addl", "notrack jmp".
    if (is_any(split_.mnemonic, "rep lock notrack bnd repz") && !split_.operands.empty())
      split_ = split_instruction(text.substr(text.find(split_.operands[0])));
    for (const std::string_view operand : split_.operands) operands_.push_back(x86_operand(operand));
    for (const X86Operand& operand : operands_)
      if (operand.kind == X86Operand::Kind::Register && operand.name.starts_with('v'))
        vector_bits_ = std::max(vector_bits_, operand.bits);
    name_ = split_.mnemonic;
    if (name_.starts_with('v') && vector_bits_ > 0)
      plain_ = name_.substr(1);
    else
      plain_ = name_;
  }

  DecodedInstruction run() {
    result_.facts.vector_bits = vector_bits_;
    if (is_branch()) return result_;
    if (operands_.empty() || begins_with_any(name_, x86_silent)) {
      if (begins_with_any(name_, x86_integers)) result_.facts.instruction_class = InstructionClass::Integer;
      return result_;
    }
    classify();
    registers();
    memory();
    return result_;
  }

 private:
  bool is_branch() {
    const bool jump = name_.starts_with('j');
    if (!jump && !is_any(name_, "call callq ret retq loop")) return false;
    result_.facts.instruction_class = InstructionClass::Branch;
    result_.leaves = is_any(name_, "jmp jmpq ret retq");
    if (jump && !operands_.empty() && operands_[0].kind == X86Operand::Kind::Label)
      result_.target = operands_[0].text;
    return true;
  }

  const X86Operand& destination() const { return operands_.back(); }
  bool reads_memory() const {
    return std::ranges::any_of(
        operands_.begin(), operands_.end() - (operands_.size() > 1 ? 1 : 0),
        [](const X86Operand& operand) { return operand.kind == X86Operand::Kind::Memory; });
  }
  bool destination_in_memory() const { return destination().kind == X86Operand::Kind::Memory; }

  void classify() {
    InstructionClass& what = result_.facts.instruction_class;
    const int bytes = element_bytes(name_);
    result_.lanes = is_scalar(name_) ? 1 : std::max(1, vector_bits_ / (8 * bytes));
    if (begins_with_any(name_, x86_fused)) {
      what = InstructionClass::MultiplyAdd;
      result_.facts.multiply_adds = result_.lanes;
      return;
    }
    if (const int products = products_of_dot(name_); products > 0) {
      what = InstructionClass::MultiplyAdd;
      result_.facts.multiply_adds = std::int64_t{result_.lanes} * products;
      result_.bf16_dot = name_.starts_with("vdpbf16");
      return;
    }
    move_ = vector_bits_ > 0 ? begins_with_any(plain_, x86_vector_moves) : name_.starts_with("mov");
    const bool broadcast = begins_with_any(plain_, "broadcast pbroadcast movddup");
    const bool gather = begins_with_any(plain_, "gather pgather");
    if (vector_bits_ == 0) {
      what = begins_with_any(name_, x86_integers) ? InstructionClass::Integer : InstructionClass::Other;
      if (move_ && destination_in_memory())
        what = InstructionClass::Store;
      else if (move_ && reads_memory())
        what = InstructionClass::Load;
      return;
    }
    if ((move_ || broadcast || gather) && reads_memory())
      what = InstructionClass::Load;
    else if (destination_in_memory())
      what = InstructionClass::Store;  // also an extract into memory
    else if (move_ || begins_with_any(plain_, x86_shuffles))
      what = InstructionClass::Shuffle;
    else
      what = InstructionClass::Arithmetic;
    result_.multiplies = begins_with_any(plain_, "mulps mulss mulpd mulsd");
  }

  /**
   * Fills in the registers. The last operand is written; it is also read by two-operand arithmetic and by
   * fused multiply-adds.
   */
  void registers() {
    const bool compares =
        begins_with_any(plain_, vector_bits_ > 0 ? "ucomi comi test ptest" : "cmp test bt push");
    const bool zeroes = begins_with_any(plain_, "xorps pxor xorpd sub psub xor") && operands_.size() >= 2 &&
                        operands_[0].name == operands_[1].name && !operands_[0].name.empty();
    for (std::size_t i = 0; i < operands_.size(); ++i) {
      const X86Operand& operand = operands_[i];
      result_.addresses.insert(result_.addresses.end(), operand.addresses.begin(), operand.addresses.end());
      if (operand.kind != X86Operand::Kind::Register) continue;
      const bool last = i + 1 == operands_.size();
      if (last && !compares) result_.writes.push_back(operand.name);
      if (!zeroes && (!last || compares || reads_destination())) result_.reads.push_back(operand.name);
    }
    if (begins_with_any(name_, "lea")) {
      result_.reads.insert(result_.reads.end(), result_.addresses.begin(), result_.addresses.end());
      result_.addresses.clear();
    }
  }

  bool reads_destination() const {
    if (begins_with_any(name_, x86_fused) || products_of_dot(name_) > 0) return true;
    if (operands_.size() == 1) return !begins_with_any(name_, "set pop");
    if (vector_bits_ > 0)
      return !name_.starts_with('v') && !move_ && !begins_with_any(name_, "cvt sqrt pshuf");
    return !move_ && !begins_with_any(name_, "lea set bsr bsf tzcnt lzcnt popcnt") && operands_.size() == 2;
  }

  int operand_bytes(const X86Operand& operand) const {
    const int element = element_bytes(name_);
    if (vector_bits_ == 0) {
      const X86Operand& other =
          operands_[0].kind == X86Operand::Kind::Register ? operands_[0] : destination();
      return general_bytes(name_, other.kind == X86Operand::Kind::Register ? other.bits : 0);
    }
    if (operand.broadcast > 0) return vector_bits_ / 8 / operand.broadcast;
    if (begins_with_any(plain_, "broadcast pbroadcast")) {
      if (plain_.ends_with("128") || plain_.find("x4") != plain_.npos) return 16;
      return plain_.find("64x4") != plain_.npos ? 32
             : plain_.ends_with('b')            ? 1
             : plain_.ends_with('w')            ? 2
                                                : element;
    }
    if (begins_with_any(plain_, "insert extract")) {
      return plain_.ends_with("ps") ? 4 : plain_.find("64x4") != plain_.npos ? 32 : 16;
    }
    if (is_scalar(name_) || begins_with_any(plain_, "movd movq pinsrd pextrd"))
      return plain_ == "movd" ? 4 : element;
    if (begins_with_any(plain_, "movlps movhps movlpd movhpd movddup")) return 8;
    return vector_bits_ / 8;
  }

  void memory() {
    if (begins_with_any(name_, "lea prefetch")) return;
    for (std::size_t i = 0; i < operands_.size(); ++i) {
      const X86Operand& operand = operands_[i];
      if (operand.kind != X86Operand::Kind::Memory) continue;
      const bool last = i + 1 == operands_.size() && operands_.size() > 1;
      const bool compares = begins_with_any(name_, "cmp test bt");
      const InstructionClass what = result_.facts.instruction_class;
      const bool stores = last && !compares;
      const bool loads = !last || (what != InstructionClass::Store && !move_) || compares;
      if (loads) result_.facts.bytes_loaded += operand_bytes(operand);
      if (stores) result_.facts.bytes_stored += operand_bytes(operand);
      if (!operand.in_frame) continue;
      result_.frame_place = operand.text;
      result_.writes_frame = stores;
    }
  }

  SplitInstruction split_;
  std::vector<X86Operand> operands_;
  std::string_view name_;
  std::string_view plain_;  ///< without AVX's v
  int vector_bits_ = 0;
  bool move_ = false;
  DecodedInstruction result_;
};

}  // namespace

DecodedInstruction decode_x86(std::string_view text) { return X86Decoder(text).run(); }

}  // namespace kernelscape::machine_code
