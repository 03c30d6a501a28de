#include "core/exchange/import_text.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "core/base/file.h"

namespace kernelscape {
namespace {

constexpr std::string_view gzip_magic = "\x1f\x8b";
constexpr std::string_view utf8_mark = "\xef\xbb\xbf";
constexpr std::uint64_t largest_ratio = 100;
constexpr std::uint64_t always_allowed_bytes = 1ULL << 20;  // small texts may be as regular as they like

std::unexpected<Error> bad_gzip(std::uint64_t offset, std::string_view reason) {
  return fail(ErrorCode::Corrupt, fmt::format("its gzip data is damaged at byte {}: {}", offset, reason),
              "copy or download the file again");
}

/** A stream of zlib, ended in any case. */
class GzipReader {
 public:
  explicit GzipReader(std::string_view bytes) : bytes_(bytes) {}
  GzipReader(const GzipReader&) = delete;
  GzipReader& operator=(const GzipReader&) = delete;
  ~GzipReader() {
    if (begun_) inflateEnd(&stream_);
  }

  Result<std::string> run(std::uint64_t most_bytes) {
    constexpr int gzip_window_bits = 15 + 16;
    if (inflateInit2(&stream_, gzip_window_bits) != Z_OK)
      return fail(ErrorCode::Environment, "there is not enough memory to unpack it", "close other programs");
    begun_ = true;
    while (true) {
      const int state = inflate_piece();
      TRY(check_size(most_bytes));
      if (state == Z_STREAM_END) {
        if (!bytes_.substr(used_).starts_with(gzip_magic)) return finish();
        inflateReset(&stream_);
      } else if (state == Z_BUF_ERROR || (state == Z_OK && used_ == bytes_.size() && !full_)) {
        return bad_gzip(used_, "it ends too early");
      } else if (state != Z_OK) {
        return bad_gzip(used_, stream_.msg != nullptr ? stream_.msg : "it cannot be read");
      }
    }
  }

 private:
  int inflate_piece() {
    const std::string_view rest = bytes_.substr(used_, 1U << 30);
    // zlib does not write there.
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(rest.data()));
    stream_.avail_in = static_cast<uInt>(rest.size());
    stream_.next_out = piece_.data();
    stream_.avail_out = static_cast<uInt>(piece_.size());
    const int state = inflate(&stream_, Z_NO_FLUSH);
    used_ += rest.size() - stream_.avail_in;
    full_ = stream_.avail_out == 0;
    text_.append(reinterpret_cast<const char*>(piece_.data()), piece_.size() - stream_.avail_out);
    return state;
  }

  Status check_size(std::uint64_t most_bytes) const {
    if (text_.size() > most_bytes)
      return fail(ErrorCode::Refused, fmt::format("its text is larger than {} MiB", most_bytes >> 20),
                  "split it into several files");
    if (text_.size() > always_allowed_bytes && text_.size() / largest_ratio > used_)
      return fail(ErrorCode::Refused,
                  fmt::format("{} bytes of gzip unpack to more than {} times as much, as no log does", used_,
                              largest_ratio),
                  "unpack it yourself if you trust it");
    return {};
  }

  Result<std::string> finish() {
    const std::string_view rest = bytes_.substr(used_);
    // Some programs pad files with zeros.
    if (rest.find_first_not_of('\0') != std::string_view::npos)
      return bad_gzip(used_, "something else follows");
    return std::move(text_);
  }

  std::string_view bytes_;
  std::uint64_t used_ = 0;
  std::string text_;
  z_stream stream_{};
  bool begun_ = false;
  bool full_ = false;
  std::array<Bytef, 1U << 18> piece_{};
};

/** Bytes of the UTF-8 character at the beginning of `text`; 0: it is none. */
std::size_t character_bytes(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned>(static_cast<unsigned char>(text[i])) : 0U;
  };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t bytes = first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : first < 0xF5 ? 4 : 0;
  for (std::size_t i = 1; i < bytes; ++i)
    if ((byte(i) & 0xC0) != 0x80) return 0;
  // Longer than needed, halves of UTF-16 pairs, beyond Unicode.
  const bool wrong = (first == 0xE0 && byte(1) < 0xA0) || (first == 0xED && byte(1) >= 0xA0) ||
                     (first == 0xF0 && byte(1) < 0x90) || (first == 0xF4 && byte(1) >= 0x90);
  return wrong ? 0 : bytes;
}

/** Offset of the first byte that no text has. */
std::optional<std::size_t> first_bad_byte(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const auto byte = static_cast<unsigned char>(text[at]);
    if (byte != 0 && byte < 0x80) {
      ++at;
      continue;
    }
    const std::size_t bytes = byte == 0 ? 0 : character_bytes(text.substr(at));
    if (bytes == 0) return at;
    at += bytes;
  }
  return std::nullopt;
}

Status check_encoding(std::string_view text) {
  const char* const hint = "save it as UTF-8";
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff"))
    return fail(ErrorCode::InvalidArgument, "it is UTF-16 (byte-order mark at offset 0), expected UTF-8",
                hint);
  const std::optional<std::size_t> bad = first_bad_byte(text);
  if (!bad) return {};
  const auto byte = static_cast<unsigned>(static_cast<unsigned char>(text[*bad]));
  return fail(ErrorCode::InvalidArgument,
              fmt::format("at offset {} is the byte {:#04x}, expected text in UTF-8", *bad, byte), hint);
}

}  // namespace

Result<std::string> unpack_import_text(std::string bytes, std::uint64_t most_bytes) {
  if (bytes.starts_with(gzip_magic)) bytes = TRY(std::make_unique<GzipReader>(bytes)->run(most_bytes));
  if (bytes.starts_with(utf8_mark)) bytes.erase(0, utf8_mark.size());
  TRY(check_encoding(bytes));
  return bytes;
}

Result<ImportText> read_import_text(const std::filesystem::path& path) {
  std::string bytes = TRY(read_text_file(path, most_import_bytes));
  Result<std::string> text = unpack_import_text(std::move(bytes));
  if (!text)
    return fail(text.error().code, fmt::format("{}: {}", path.string(), text.error().message),
                text.error().hint);
  return ImportText{path, std::move(*text)};
}

}  // namespace kernelscape
