#include "core/exchange/import_text.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/foreign_file.h"
#include "core/base/numbers.h"
#include "core/base/open_database.h"
#include "core/base/read_file.h"
#include "core/base/utf8.h"
#include "core/exchange/importer.h"

namespace kernelscape::exchange {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view gzip_magic = "\x1f\x8b";
constexpr std::string_view utf8_mark = "\xef\xbb\xbf";
constexpr std::uint64_t largest_ratio = 100;
constexpr std::uint64_t always_allowed_bytes = 1ULL << 20;  // small texts may be compressed to any ratio
constexpr std::size_t read_piece_bytes = 256 << 10;

std::unexpected<Error> bad_gzip(std::uint64_t offset, std::string_view reason) {
  return fail(ErrorCode::Corrupt, fmt::format("its gzip data is damaged at byte {}: {}", offset, reason),
              "copy or download the file again");
}

/** Reads the bytes of a file in order, or bytes in memory. */
class ByteReader {
 public:
  explicit ByteReader(base::ReadableFile file) : file_(std::move(file)), buffer_(read_piece_bytes) {}
  explicit ByteReader(std::string bytes) : bytes_(std::move(bytes)), rest_(bytes_) {}
  ByteReader(const ByteReader&) = delete;
  ByteReader& operator=(const ByteReader&) = delete;

  /** Returns the next bytes, at least `least` if the file has them. */
  Result<std::string_view> peek(std::size_t least) {
    while (rest_.size() < least && file_) {
      if (!rest_.empty()) std::memmove(buffer_.data(), rest_.data(), rest_.size());
      char* const free = buffer_.data() + rest_.size();
      const auto count = file_->read({free, buffer_.size() - rest_.size()});
      if (!count)
        return fail(ErrorCode::InvalidArgument,
                    fmt::format("cannot read it: {}", std::strerror(count.error())),
                    "check the disk or the network share that holds it");
      rest_ = std::string_view(buffer_.data(), rest_.size() + *count);
      if (*count == 0) file_.reset();
    }
    return rest_;
  }

  void skip(std::size_t bytes) {
    rest_.remove_prefix(bytes);
    used_ += bytes;
  }
  std::uint64_t used() const { return used_; }  ///< bytes that were skipped

 private:
  std::optional<base::ReadableFile> file_;
  std::vector<char> buffer_;
  std::string bytes_;
  std::string_view rest_;
  std::uint64_t used_ = 0;
};

/** A stream of zlib, which the destructor ends. */
class GzipReader {
 public:
  explicit GzipReader(ByteReader& bytes) : bytes_(bytes) {}
  GzipReader(const GzipReader&) = delete;
  GzipReader& operator=(const GzipReader&) = delete;
  ~GzipReader() {
    if (begun_) inflateEnd(&stream_);
  }

  /** Writes the next part of the text; less than `size` only at its end. */
  Result<std::size_t> read(char* text, std::size_t size) {
    if (!begun_) TRY(begin());
    std::size_t written = 0;
    while (written < size && !finished_) {
      const std::size_t before = written;
      const std::string_view input = TRY(bytes_.peek(1));
      // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast): zlib's input is not const, and is not written
      stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(input.data()));
      stream_.avail_in = static_cast<uInt>(std::min<std::size_t>(input.size(), 1U << 30));
      const uInt offered = stream_.avail_in;
      stream_.next_out = reinterpret_cast<Bytef*>(text + written);
      stream_.avail_out = static_cast<uInt>(size - written);
      const int state = inflate(&stream_, Z_NO_FLUSH);
      bytes_.skip(offered - stream_.avail_in);
      written = size - stream_.avail_out;
      TRY(check_ratio(text_bytes_ + written));
      if (state == Z_STREAM_END) {
        TRY(end_member());
      } else if (offered == 0 && written == before) {
        return bad_gzip(bytes_.used(), "it ends too early");
      } else if (state != Z_OK && state != Z_BUF_ERROR) {
        return bad_gzip(bytes_.used(), stream_.msg != nullptr ? stream_.msg : "it cannot be read");
      }
    }
    text_bytes_ += written;
    return written;
  }

 private:
  Status begin() {
    constexpr int gzip_window_bits = 15 + 16;
    if (inflateInit2(&stream_, gzip_window_bits) != Z_OK)
      return fail(ErrorCode::Environment, "there is not enough memory to decompress it",
                  "close other programs");
    begun_ = true;
    return {};
  }

  Status check_ratio(std::uint64_t text_bytes) const {
    if (text_bytes <= always_allowed_bytes || text_bytes / largest_ratio <= bytes_.used()) return {};
    return fail(ErrorCode::Refused,
                fmt::format("{} bytes of gzip decompress to more than {} times as much, which no log does",
                            bytes_.used(), largest_ratio),
                "decompress it yourself if you trust it");
  }

  Status end_member() {
    std::string_view rest = TRY(bytes_.peek(gzip_magic.size()));
    if (rest.starts_with(gzip_magic)) {
      inflateReset(&stream_);
      return {};
    }
    // Some programs pad files with zeros.
    while (!rest.empty()) {
      if (rest.find_first_not_of('\0') != std::string_view::npos)
        return bad_gzip(bytes_.used(), "other data follows");
      bytes_.skip(rest.size());
      rest = TRY(bytes_.peek(1));
    }
    finished_ = true;
    return {};
  }

  ByteReader& bytes_;
  z_stream stream_{};
  std::uint64_t text_bytes_ = 0;
  bool begun_ = false;
  bool finished_ = false;
};

/** Returns true if all of eight bytes are ASCII without NUL, as nearly all bytes of a log are. */
bool plain_ascii(const char* bytes) {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes, sizeof word);
  constexpr std::uint64_t ones = 0x0101010101010101;
  constexpr std::uint64_t highest_bits = 0x8080808080808080;
  return ((word | (word - ones)) & highest_bits) == 0;
}

/** Returns the offset of the first invalid byte; the text's size if there is none. */
std::size_t first_bad_byte(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    if (text.size() - at >= sizeof(std::uint64_t) && plain_ascii(text.data() + at)) {
      at += sizeof(std::uint64_t);
      continue;
    }
    const base::Utf8Character character = base::first_character(text.substr(at));
    if (text[at] == 0 || character.code == base::invalid_utf8) return at;
    at += character.bytes;
  }
  return text.size();
}

constexpr const char* encoding_hint = "save it as UTF-8";

}  // namespace

/** Bytes that are decompressed if they are gzip. */
class ImportText::Source {
 public:
  template <typename Bytes>
  explicit Source(Bytes bytes) : bytes_(std::move(bytes)) {}

  Result<std::size_t> read(char* text, std::size_t size) {
    if (!known_) {
      const std::string_view first = TRY(bytes_.peek(gzip_magic.size()));
      if (first.starts_with(gzip_magic)) gzip_.emplace(bytes_);
      known_ = true;
    }
    if (gzip_) return gzip_->read(text, size);
    std::size_t written = 0;
    while (written < size) {
      const std::string_view next = TRY(bytes_.peek(1));
      if (next.empty()) break;
      const std::size_t count = std::min(next.size(), size - written);
      std::memcpy(text + written, next.data(), count);
      bytes_.skip(count);
      written += count;
    }
    return written;
  }

 private:
  ByteReader bytes_;
  std::optional<GzipReader> gzip_;
  bool known_ = false;
};

struct ImportText::State {
  fs::path path;
  ReadingBudget budget;
  HeldMemory held{budget.max_memory_bytes};
  std::unique_ptr<Source> source;
  std::vector<fs::path> companions = {};
  TableOptions table = {};
  std::vector<char> piece = std::vector<char>(read_piece_bytes);
  std::size_t kept_bytes = 0;    ///< size of an incomplete character that continues in the next piece
  std::size_t kept_from = 0;     ///< its position in the piece
  std::uint64_t text_bytes = 0;  ///< bytes that were returned
  std::string_view peeked = {};  ///< the first piece, for head()
  bool begun = false;
  bool ended = false;

  Result<std::string_view> read_piece();
  Result<std::string_view> checked(std::string_view text);
};

ImportText::ImportText(std::unique_ptr<State> state)
    : TextCursor(std::string_view()), state_(std::move(state)) {
  limit_tokens(state_->budget.max_token_bytes);
}

ImportText::ImportText(fs::path path, std::string bytes, const ReadingBudget& budget)
    : ImportText(std::make_unique<State>(State{
          .path = std::move(path), .budget = budget, .source = std::make_unique<Source>(std::move(bytes))})) {
}

ImportText::~ImportText() = default;

Result<std::unique_ptr<ImportText>> ImportText::open(const fs::path& path, const ReadingBudget& budget) {
  if (path.empty())
    return fail(ErrorCode::InvalidArgument, "an empty path names no file", "name an existing file");
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status))
    return fail(ErrorCode::NotFound, fmt::format("there is no file {}", path.string()),
                "name an existing file");
  if (!fs::is_regular_file(status))
    return fail(ErrorCode::InvalidArgument, fmt::format("{} is not a readable file", path.string()),
                fs::is_directory(status) ? "name a file in this folder" : "save its output to a file");
  const std::uintmax_t size = fs::file_size(path, error);
  if (!error && size > budget.max_bytes)
    return fail(
        ErrorCode::Refused,
        fmt::format("{} has {}, more than {}", path.string(), base::bytes_text(static_cast<double>(size)),
                    base::bytes_text(static_cast<double>(budget.max_bytes))),
        "split it into several files");
  TRY(base::check_no_open_database(path));
  base::ReadableFile file = TRY(base::ReadableFile::open(path));
  auto state = std::make_unique<State>(
      State{.path = path, .budget = budget, .source = std::make_unique<Source>(std::move(file))});
  return std::unique_ptr<ImportText>(new ImportText(std::move(state)));
}

const fs::path& ImportText::path() const { return state_->path; }
const ReadingBudget& ImportText::budget() const { return state_->budget; }
const std::vector<fs::path>& ImportText::companions() const { return state_->companions; }
void ImportText::set_companions(std::vector<fs::path> files) { state_->companions = std::move(files); }
const TableOptions& ImportText::table() const { return state_->table; }
void ImportText::set_table(TableOptions options) { state_->table = std::move(options); }
HeldMemory& ImportText::held() { return state_->held; }

Status ImportText::keep(std::uint64_t bytes) {
  if (state_->held.take(bytes)) return {};
  return std::unexpected(out_of_reading_memory(state_->held));
}

std::string_view ImportText::head() {
  ended();
  return state_->peeked;
}

Result<std::string_view> ImportText::next_piece() { return state_->read_piece(); }

/** Reads a piece of whole characters: an incomplete character is moved before the next piece. */
Result<std::string_view> ImportText::State::read_piece() {
  if (ended) return std::string_view();
  std::memmove(piece.data(), piece.data() + kept_from, kept_bytes);
  const std::size_t read = TRY(source->read(piece.data() + kept_bytes, piece.size() - kept_bytes));
  std::string_view text(piece.data(), kept_bytes + read);
  ended = read < piece.size() - kept_bytes;
  if (!begun) {
    // An empty text has no known format: its reader reports this.
    if (const auto foreign = base::foreign_kind(text); foreign && !text.empty())
      return fail(ErrorCode::InvalidArgument, fmt::format("it is {}", foreign->what),
                  std::string(foreign->hint));
    if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff"))
      return fail(ErrorCode::InvalidArgument, "it is UTF-16 (byte-order mark at offset 0), expected UTF-8",
                  encoding_hint);
    if (text.starts_with(utf8_mark)) text.remove_prefix(utf8_mark.size());
  }
  if (text_bytes + text.size() > budget.max_bytes)
    return fail(
        ErrorCode::Refused,
        fmt::format("its text is larger than {}", base::bytes_text(static_cast<double>(budget.max_bytes))),
        "split it into several files");
  const std::string_view whole = TRY(checked(text));
  kept_bytes = text.size() - whole.size();
  kept_from = static_cast<std::size_t>(whole.data() + whole.size() - piece.data());
  text_bytes += whole.size();
  if (!begun) peeked = whole;
  begun = true;
  return whole;
}

/** Returns the checked text without an incomplete last character. */
Result<std::string_view> ImportText::State::checked(std::string_view text) {
  constexpr std::size_t longest_character = 4;
  const std::size_t bad = first_bad_byte(text);
  if (bad == text.size()) return text;
  const auto byte = static_cast<unsigned>(static_cast<unsigned char>(text[bad]));
  if (!ended && byte >= 0xC2 && text.size() - bad < longest_character) return text.substr(0, bad);
  return fail(ErrorCode::InvalidArgument,
              fmt::format("at offset {} is the byte {:#04x}, expected text in UTF-8", text_bytes + bad, byte),
              encoding_hint);
}

std::uint64_t kept_trial_bytes(const trial::Measurement& measurement, std::size_t knobs) {
  constexpr std::size_t allocations = 6;  // each of which takes some more bytes than its content
  return sizeof(ImportedTrial) + measurement.samples_seconds.capacity() * sizeof(double) +
         measurement.message.capacity() + measurement.build_log.capacity() + measurement.worker.capacity() +
         2 * knobs * sizeof(std::uint32_t) + allocations * 2 * sizeof(std::size_t);
}

Status check_part_count(std::size_t parts) {
  if (parts <= max_parts_in_file) return {};
  return fail(ErrorCode::Refused,
              fmt::format("it has trials of more than {} tasks or kernels", max_parts_in_file),
              "split it into several files");
}

}  // namespace kernelscape::exchange
