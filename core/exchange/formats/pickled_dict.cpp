#include "core/exchange/formats/pickled_dict.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/base/utf8.h"
#include "core/base/visible_text.h"

namespace kernelscape::exchange {
namespace {

constexpr std::size_t max_pickle_bytes = 4 << 20;
constexpr int max_pickle_depth = 16;

std::unexpected<Error> bad_pickle(std::string message) {
  return fail(ErrorCode::InvalidArgument, "its pickle cannot be read: " + std::move(message));
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const base::Utf8Character character = base::first_character(text);
    if (character.code == base::invalid_utf8) return false;
    text.remove_prefix(character.bytes);
  }
  return true;
}

/** Returns the bytes of a pickle; OpenTuner compresses it by zlib if that is shorter. */
Result<std::string> plain_pickle(std::string_view bytes) {
  constexpr char zlib_begins = 0x78;
  if (!bytes.starts_with(zlib_begins)) {
    if (bytes.size() > max_pickle_bytes) return bad_pickle("it is larger than 4 MiB");
    return std::string(bytes);
  }
  std::string plain(std::min<std::size_t>(16 * bytes.size(), max_pickle_bytes), '\0');
  while (true) {
    uLongf size = plain.size();
    const int state = uncompress(reinterpret_cast<Bytef*>(plain.data()), &size,
                                 reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
    if (state == Z_OK) {
      plain.resize(size);
      return plain;
    }
    if (state != Z_BUF_ERROR) return bad_pickle("its compression is damaged");
    if (plain.size() == max_pickle_bytes) return bad_pickle("it is torn, or larger than 4 MiB");
    plain.resize(std::min(4 * plain.size(), max_pickle_bytes));
  }
}

/** A value on the stack. */
struct Pickled {
  space::Json value;
  int depth = 0;  ///< levels of containers in it
};

/** Executes the instructions of a pickle that build plain values, and no others. */
class PickleReader {
 public:
  explicit PickleReader(std::string_view bytes) : rest_(bytes) {}

  Result<space::Json> run() {
    while (true) {
      const auto instruction = static_cast<unsigned char>(TRY(take(1)).front());
      if (instruction == '.') break;
      TRY(execute(instruction));
    }
    if (stack_.size() != 1 || !marks_.empty()) return bad_pickle("it has more than one value");
    return std::move(stack_.front().value);
  }

  const std::string& class_name() const { return class_name_; }  ///< of the first class that it names

 private:
  Status execute(unsigned char instruction) {
    switch (instruction) {
      case 0x80:  // PROTO
        return check_protocol();
      case 0x95:  // FRAME
        std::ignore = TRY(take(sizeof(std::uint64_t)));
        return {};
      case '(':  // MARK
        marks_.push_back(stack_.size());
        return {};
      case 'c':   // GLOBAL
      case 0x93:  // STACK_GLOBAL
        return refuse_class(instruction == 'c');
      case 'q':  // BINPUT
        return remember(TRY(number(1)));
      case 'r':  // LONG_BINPUT
        return remember(TRY(number(4)));
      case 0x94:  // MEMOIZE
        return remember(memo_.size());
      case 'h':  // BINGET
        return recall(TRY(number(1)));
      case 'j':  // LONG_BINGET
        return recall(TRY(number(4)));
      default:
        return execute_value(instruction);
    }
  }

  Status execute_value(unsigned char instruction) {
    switch (instruction) {
      case 'N':  // NONE
        return push(nullptr);
      case 0x88:  // NEWTRUE
      case 0x89:  // NEWFALSE
        return push(instruction == 0x88);
      case 'K':  // BININT1
      case 'M':  // BININT2
        return push(static_cast<std::int64_t>(TRY(number(instruction == 'K' ? 1 : 2))));
      case 'J':  // BININT
        return push(static_cast<std::int64_t>(static_cast<std::int32_t>(TRY(number(4)))));
      case 'I':  // INT, of Python 2 for more than 32 bits
        return push_decimal();
      case 0x8a:  // LONG1
        return push_long();
      case 'G':  // BINFLOAT, big-endian
        return push(std::bit_cast<double>(std::byteswap(TRY(number(8)))));
      case 'U':   // SHORT_BINSTRING, a text of Python 2
      case 0x8c:  // SHORT_BINUNICODE
        return push_text(TRY(number(1)));
      case 'T':  // BINSTRING
      case 'X':  // BINUNICODE
        return push_text(TRY(number(4)));
      case 0x8d:  // BINUNICODE8
        return push_text(TRY(number(8)));
      default:
        return execute_container(instruction);
    }
  }

  Status execute_container(unsigned char instruction) {
    switch (instruction) {
      case '}':  // EMPTY_DICT
        return push(space::Json::object());
      case ']':  // EMPTY_LIST
      case ')':  // EMPTY_TUPLE
        return push(space::Json::array());
      case 't':  // TUPLE
        return make_tuple(TRY(to_mark()));
      case 0x85:  // TUPLE1
      case 0x86:  // TUPLE2
      case 0x87:  // TUPLE3
        return make_tuple(TRY(top(std::size_t{instruction} - 0x84)));
      case 'a':  // APPEND
        return append(TRY(top(1)));
      case 'e':  // APPENDS
        return append(TRY(to_mark()));
      case 's':  // SETITEM
        return set_items(TRY(top(2)));
      case 'u':  // SETITEMS
        return set_items(TRY(to_mark()));
      default:
        return bad_pickle(
            fmt::format("it has the instruction {:#04x}, which builds no plain value", instruction));
    }
  }

  Result<std::string_view> take(std::uint64_t bytes) {
    if (bytes > rest_.size()) return bad_pickle("it ends too early");
    const std::string_view taken = rest_.substr(0, bytes);
    rest_.remove_prefix(bytes);
    return taken;
  }

  /** Reads a little-endian number without a sign. */
  Result<std::uint64_t> number(std::size_t bytes) {
    const std::string_view taken = TRY(take(bytes));
    std::uint64_t value = 0;
    for (std::size_t i = bytes; i-- > 0;) value = value << 8U | static_cast<unsigned char>(taken[i]);
    return value;
  }

  Status check_protocol() {
    constexpr std::uint64_t newest_protocol = 5;
    const std::uint64_t protocol = TRY(number(1));
    if (protocol <= newest_protocol) return {};
    return bad_pickle(fmt::format("it has the protocol {}, versions up to 5 are known", protocol));
  }

  /** Counts the memory of a value: a reference to a text copies the text. */
  Status count(const space::Json& value) {
    used_bytes_ += sizeof(Pickled);
    if (value.is_string()) used_bytes_ += value.get_ref<const std::string&>().size();
    if (used_bytes_ <= max_pickle_bytes) return {};
    return bad_pickle("its values take more than 4 MiB");
  }

  Status push(space::Json value) {
    TRY(count(value));
    const int depth = value.is_structured() ? 1 : 0;
    stack_.push_back({std::move(value), depth});
    return {};
  }

  Status push_text(std::uint64_t bytes) {
    const std::string_view text = TRY(take(bytes));
    if (!is_utf8(text)) return bad_pickle("a text is not UTF-8");
    return push(std::string(text));
  }

  Status push_long() {
    const std::size_t bytes = TRY(number(1));
    if (bytes > sizeof(std::int64_t)) return bad_pickle("a whole number has more than 64 bits");
    std::uint64_t value = TRY(number(bytes));
    const std::size_t bits = 8 * bytes;
    const bool negative = bits > 0 && (value >> (bits - 1) & 1U) != 0;
    if (negative && bits < 64) value |= ~std::uint64_t{0} << bits;
    return push(static_cast<std::int64_t>(value));
  }

  Result<std::string_view> line() {
    const std::size_t end = rest_.find('\n');
    if (end == std::string_view::npos) return bad_pickle("it ends too early");
    const std::string_view text = TRY(take(end + 1));
    return text.substr(0, end);
  }

  Status push_decimal() {
    const std::string_view text = TRY(line());
    if (text == "00" || text == "01") return push(text == "01");
    std::int64_t value = 0;
    const char* const end = text.data() + text.size();
    const auto [at, error] = std::from_chars(text.data(), end, value);
    if (at != end || error != std::errc()) return bad_pickle("a whole number is none of 64 bits");
    return push(value);
  }

  /** Notes the class that the pickle would load, and refuses it. */
  Status refuse_class(bool by_lines) {
    if (by_lines) {
      std::ignore = TRY(line());  // the module
      class_name_ = TRY(line());
    } else {
      const std::size_t begin = TRY(top(2));
      if (stack_[begin + 1].value.is_string()) class_name_ = stack_[begin + 1].value.get<std::string>();
    }
    return bad_pickle(
        fmt::format("it names Python's class {}, which is not loaded", base::quoted_line(class_name_)));
  }

  Status remember(std::uint64_t place) {
    const std::size_t at = TRY(top(1));
    const space::Json& value = stack_[at].value;
    TRY(count(value));
    memo_.insert_or_assign(place, value.is_structured() ? std::nullopt : std::optional(value));
    return {};
  }

  Status recall(std::uint64_t place) {
    const auto found = memo_.find(place);
    if (found == memo_.end()) return bad_pickle("it refers to a value that it lacks");
    // Lists that contain a list twice could grow beyond all memory.
    if (!found->second) return bad_pickle("it uses a list or a dict twice");
    return push(*found->second);
  }

  /** Returns the position of the last values, of which the stack must have this many above the last mark. */
  Result<std::size_t> top(std::size_t count) const {
    const std::size_t least = marks_.empty() ? 0 : marks_.back();
    if (stack_.size() < least + count) return bad_pickle("it uses a value that it lacks");
    return stack_.size() - count;
  }

  /** Returns the position of the values above the last mark, and removes the mark. */
  Result<std::size_t> to_mark() {
    if (marks_.empty()) return bad_pickle("it uses a mark that it lacks");
    const std::size_t begin = marks_.back();
    marks_.pop_back();
    return begin;
  }

  /** Returns the container below a position; null: there is none of this kind. */
  Pickled* container_below(std::size_t begin, bool dict) {
    const std::size_t least = marks_.empty() ? 0 : marks_.back();
    if (begin <= least) return nullptr;
    Pickled& below = stack_[begin - 1];
    return (dict ? below.value.is_object() : below.value.is_array()) ? &below : nullptr;
  }

  static Status put_into(Pickled& container, const Pickled& value) {
    container.depth = std::max(container.depth, value.depth + 1);
    if (container.depth <= max_pickle_depth) return {};
    return bad_pickle("its lists are nested too deeply");
  }

  Status make_tuple(std::size_t begin) {
    Pickled tuple{space::Json::array(), 1};
    for (std::size_t i = begin; i < stack_.size(); ++i) {
      TRY(put_into(tuple, stack_[i]));
      tuple.value.push_back(std::move(stack_[i].value));
    }
    stack_.resize(begin);
    TRY(count(tuple.value));
    stack_.push_back(std::move(tuple));
    return {};
  }

  Status append(std::size_t begin) {
    Pickled* list = container_below(begin, false);
    if (list == nullptr) return bad_pickle("it appends to a value that is no list");
    for (std::size_t i = begin; i < stack_.size(); ++i) {
      TRY(put_into(*list, stack_[i]));
      list->value.push_back(std::move(stack_[i].value));
    }
    stack_.resize(begin);
    return {};
  }

  Status set_items(std::size_t begin) {
    Pickled* dict = container_below(begin, true);
    if (dict == nullptr || (stack_.size() - begin) % 2 != 0)
      return bad_pickle("it sets an item of a value that is no dict");
    for (std::size_t i = begin; i < stack_.size(); i += 2) {
      if (!stack_[i].value.is_string()) return bad_pickle("a key of a dict is no text");
      TRY(put_into(*dict, stack_[i + 1]));
      dict->value[stack_[i].value.get_ref<const std::string&>()] = std::move(stack_[i + 1].value);
    }
    stack_.resize(begin);
    return {};
  }

  std::string_view rest_;
  std::vector<Pickled> stack_;
  std::vector<std::size_t> marks_;
  std::unordered_map<std::uint64_t, std::optional<space::Json>> memo_;  ///< nullopt: a container
  std::size_t used_bytes_ = 0;
  std::string class_name_;
};

}  // namespace

Result<space::Json> read_pickle(std::string_view bytes) {
  const std::string plain = TRY(plain_pickle(bytes));
  return PickleReader(plain).run();
}

std::string pickled_class_name(std::string_view bytes) {
  const Result<std::string> plain = plain_pickle(bytes);
  if (!plain) return {};
  PickleReader reader(*plain);
  // The error is that the class is not loaded.
  if (const Result<space::Json> read = reader.run(); read) return {};
  return reader.class_name();
}

}  // namespace kernelscape::exchange
