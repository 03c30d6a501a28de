#include "core/network/model_without_weights.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <span>
#include <vector>

#include "core/base/foreign_file.h"
#include "core/base/open_database.h"
#include "core/measure/worker/graph_messages.h"
#include "core/measure/worker/unique_fd.h"

namespace kernelscape::network {
namespace {

constexpr std::uint64_t max_kept_bytes = 64ULL << 20;
constexpr std::uint64_t max_data_bytes = 4096;  // of a tensor that is kept: the shapes of other tensors
constexpr int max_graphs = 32;                  // maximum nesting of graphs
constexpr std::size_t buffer_bytes = 1 << 16;

/** The ONNX messages that are cut. */
enum class Message : std::uint8_t { Model, Graph, Node, Attribute, Tensor, SparseTensor, Function };

/** The treatment of a field with a length. */
enum class Fate : std::uint8_t {
  Kept,
  Dropped,
  Data,  ///< kept if it is short
  Cut    ///< a message that is cut in turn
};

struct FieldRule {
  std::uint32_t field;
  Fate fate;
  Message message = Message::Model;
};

/** Returns the rules of a message from onnx.proto; fields without a rule are kept. */
std::span<const FieldRule> rules_of(Message message) {
  using enum Message;
  static constexpr FieldRule of_model[] = {{7, Fate::Cut, Graph},
                                           {25, Fate::Cut, Function},
                                           {6, Fate::Dropped},    // documentation
                                           {14, Fate::Dropped},   // metadata
                                           {20, Fate::Dropped}};  // training
  static constexpr FieldRule of_graph[] = {
      {1, Fate::Cut, Node}, {5, Fate::Cut, Tensor}, {15, Fate::Cut, SparseTensor},
      {10, Fate::Dropped},  {14, Fate::Dropped},  // quantization
      {16, Fate::Dropped}};                       // metadata
  static constexpr FieldRule of_node[] = {{5, Fate::Cut, Attribute}, {6, Fate::Dropped}, {9, Fate::Dropped}};
  static constexpr FieldRule of_attribute[] = {{5, Fate::Cut, Tensor},
                                               {6, Fate::Cut, Graph},
                                               {10, Fate::Cut, Tensor},
                                               {11, Fate::Cut, Graph},
                                               {22, Fate::Cut, SparseTensor},
                                               {23, Fate::Cut, SparseTensor},
                                               {13, Fate::Dropped},
                                               {4, Fate::Data},
                                               {7, Fate::Data},
                                               {8, Fate::Data},
                                               {9, Fate::Data}};
  static constexpr FieldRule of_tensor[] = {{4, Fate::Data},  {5, Fate::Data},     {6, Fate::Data},
                                            {7, Fate::Data},  {9, Fate::Data},     {10, Fate::Data},
                                            {11, Fate::Data}, {12, Fate::Dropped}, {16, Fate::Dropped}};
  static constexpr FieldRule of_sparse[] = {{1, Fate::Cut, Tensor}, {2, Fate::Cut, Tensor}};
  static constexpr FieldRule of_function[] = {
      {7, Fate::Cut, Node}, {11, Fate::Cut, Attribute}, {8, Fate::Dropped}, {14, Fate::Dropped}};
  switch (message) {
    case Model:
      return of_model;
    case Graph:
      return of_graph;
    case Node:
      return of_node;
    case Attribute:
      return of_attribute;
    case Tensor:
      return of_tensor;
    case SparseTensor:
      return of_sparse;
    case Function:
      return of_function;
  }
  return {};
}

FieldRule rule_of(Message message, std::uint32_t field) {
  for (const FieldRule& rule : rules_of(message))
    if (rule.field == field) return rule;
  return {field, Fate::Kept};
}

/** Returns how a field with Fate::Data stores its elements. */
CutEncoding encoding_of(Message message, std::uint32_t field) {
  if (message != Message::Tensor) return CutEncoding::Other;
  switch (field) {
    case 4:
      return CutEncoding::Floats;
    case 10:
      return CutEncoding::Doubles;
    case 9:
      return CutEncoding::Raw;
    case 6:
      return CutEncoding::Other;
    default:
      return CutEncoding::Varints;
  }
}

void append_varint(std::string& target, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) target.push_back(static_cast<char>((value & 0x7f) | 0x80));
  target.push_back(static_cast<char>(value));
}

class ModelCutter {
 public:
  ModelCutter(const ByteSource& source, std::uint64_t byte_count)
      : source_(source), byte_count_(byte_count) {}

  Result<CutModel> run() {
    TRY(check_beginning());
    std::string model = TRY(cut(Message::Model, 0, byte_count_, 0));
    if (!graph_seen_)
      return fail(ErrorCode::InvalidArgument, "it is not an ONNX model: it has no graph",
                  "name an .onnx file");
    return CutModel{std::move(model), std::move(data_)};
  }

 private:
  /** Recognizes files that users often name instead of a model. */
  Status check_beginning() {
    constexpr std::uint64_t max_head_bytes = 64;
    std::string head(std::min(byte_count_, max_head_bytes), '\0');
    TRY(read(0, head.data(), head.size()));
    const std::optional<base::ForeignKind> kind = base::foreign_kind(head);
    if (!kind) return {};
    return fail(ErrorCode::InvalidArgument, fmt::format("it is not an ONNX model, but {}", kind->what),
                std::string(kind->hint));
  }

  std::unexpected<Error> broken(std::uint64_t offset, std::string_view why) const {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("it is not an ONNX model, or it is damaged: at byte {} {}", offset, why),
                "name an .onnx file, and check that it was copied completely");
  }

  Result<void> copy(std::uint64_t offset, std::uint64_t count, std::string& target) {
    kept_ += count;
    if (kept_ > max_kept_bytes) {
      return fail(ErrorCode::InvalidArgument,
                  fmt::format("it has more than {} MiB beside its weights", max_kept_bytes >> 20),
                  "export the relevant layers as a separate model");
    }
    const std::size_t before = target.size();
    target.resize(before + count);
    return read(offset, target.data() + before, count);
  }

  Result<void> read(std::uint64_t offset, char* target, std::size_t count) {
    const bool buffered = offset >= buffer_start_ && offset + count <= buffer_start_ + buffer_.size();
    if (!buffered && count < buffer_bytes) {
      buffer_.resize(std::min<std::uint64_t>(buffer_bytes, byte_count_ - offset));
      buffer_start_ = offset;
      if (!source_(offset, buffer_.data(), buffer_.size())) return unreadable();
    } else if (!buffered) {
      if (!source_(offset, target, count)) return unreadable();
      return {};
    }
    std::copy_n(buffer_.data() + (offset - buffer_start_), count, target);
    return {};
  }

  static std::unexpected<Error> unreadable() {
    return fail(ErrorCode::Environment, "it cannot be read",
                "check whether it was changed, or whether its disk is damaged");
  }

  /** Reads a number and moves `at` past it. */
  Result<std::uint64_t> varint(std::uint64_t& at, std::uint64_t end) {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      if (at >= end) return broken(at, "a number has no end");
      char byte = 0;
      TRY(read(at++, &byte, 1));
      value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if ((byte & 0x80) == 0) return value;
    }
    return broken(at, "a number has more than 64 bits");
  }

  Result<std::string> cut(Message message, std::uint64_t begin, std::uint64_t end, int graphs) {
    if (message == Message::Graph) ++graphs;
    graph_seen_ = graph_seen_ || graphs > 0;
    if (graphs > max_graphs) return broken(begin, fmt::format("{} graphs are nested", graphs));
    std::string result;
    for (std::uint64_t at = begin; at < end;) TRY(cut_field(message, at, end, graphs, result));
    return result;
  }

  Result<void> cut_field(Message message, std::uint64_t& at, std::uint64_t end, int graphs,
                         std::string& result) {
    const std::uint64_t begin = at;
    const std::uint64_t tag = TRY(varint(at, end));
    constexpr std::uint64_t largest_tag = (std::uint64_t{1} << 32) - 1;
    if (tag > largest_tag || tag >> 3 == 0) return broken(begin, "there is no valid field");
    // A file that has this field already could claim data that is another tensor's.
    const std::size_t before = result.size();
    TRY(cut_content(message, static_cast<std::uint32_t>(tag), begin, at, end, graphs, result));
    if (tag >> 3 == measure::cut_data_field) result.resize(before);
    return {};
  }

  /** Cuts the content of a field, which starts at `at`; its tag starts at `begin`. */
  Result<void> cut_content(Message message, std::uint32_t tag, std::uint64_t begin, std::uint64_t& at,
                           std::uint64_t end, int graphs, std::string& result) {
    switch (tag & 7) {
      case 0:
        std::ignore = TRY(varint(at, end));
        return copy(begin, at - begin, result);
      case 1:
      case 5: {
        const std::uint64_t size = (tag & 7) == 1 ? 8 : 4;
        if (end - at < size) return broken(at, "a number has no end");
        at += size;
        return copy(begin, at - begin, result);
      }
      case 2:
        return cut_long_field(message, tag, begin, at, end, graphs, result);
      default:
        return broken(begin, "there is a field of unknown type");
    }
  }

  Result<void> cut_long_field(Message message, std::uint32_t tag, std::uint64_t begin, std::uint64_t& at,
                              std::uint64_t end, int graphs, std::string& result) {
    const std::uint64_t length = TRY(varint(at, end));
    if (length > end - at)
      return broken(at,
                    fmt::format("a field of {} bytes starts, but only {} bytes remain", length, end - at));
    const std::uint64_t content = at;
    at += length;
    const FieldRule rule = rule_of(message, tag >> 3);
    if (rule.fate == Fate::Dropped) return {};
    if (rule.fate == Fate::Data && length > max_data_bytes) {
      append_varint(result, std::uint64_t{measure::cut_data_field} << 3);
      append_varint(result, data_.size());
      data_.push_back({content, length, encoding_of(message, tag >> 3)});
      return {};
    }
    if (rule.fate != Fate::Cut) return copy(begin, at - begin, result);
    const std::string inner = TRY(cut(rule.message, content, at, graphs));
    append_varint(result, tag);
    append_varint(result, inner.size());
    result += inner;
    return {};
  }

  const ByteSource& source_;
  std::uint64_t byte_count_;
  std::vector<char> buffer_;
  std::uint64_t buffer_start_ = 0;
  std::uint64_t kept_ = 0;
  std::vector<CutData> data_;
  bool graph_seen_ = false;
};

/** Calls pread() until all bytes are read. */
bool read_at(int descriptor, std::uint64_t offset, char* target, std::size_t count) {
  while (count > 0) {
    const ssize_t got = pread(descriptor, target, count, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    target += got;
    offset += static_cast<std::uint64_t>(got);
    count -= static_cast<std::size_t>(got);
  }
  return true;
}

Result<CutModel> read_open_file(const measure::UniqueFd& file, const struct stat& status) {
  const ByteSource source = [&file](std::uint64_t offset, char* target, std::size_t count) {
    return read_at(file.get(), offset, target, count);
  };
  return cut_weights(source, static_cast<std::uint64_t>(status.st_size));
}

}  // namespace

Result<CutModel> cut_weights(const ByteSource& source, std::uint64_t byte_count) {
  return ModelCutter(source, byte_count).run();
}

Result<CutModel> read_model_without_weights(const std::filesystem::path& path) {
  struct stat status{};
  if (stat(path.c_str(), &status) != 0)
    return fail(ErrorCode::NotFound,
                fmt::format("{} cannot be found: {}", path.string(), std::strerror(errno)),
                "name the file of a model");
  if (!S_ISREG(status.st_mode))
    return fail(ErrorCode::NotFound, fmt::format("{} is not a file", path.string()),
                "name the file of a model");
  TRY(base::check_no_open_database(path, status));
  TRY(base::check_no_foreign_file(path));
  const measure::UniqueFd file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.valid() || fstat(file.get(), &status) != 0)
    return fail(ErrorCode::Environment,
                fmt::format("{} cannot be read: {}", path.string(), std::strerror(errno)),
                "check its permissions");
  Result<CutModel> model = read_open_file(file, status);
  if (!model) {
    Error error = model.error();
    error.message = fmt::format("{}: {}", path.string(), error.message);
    return std::unexpected(std::move(error));
  }
  model->file = graph::identity_of(status);
  return model;
}

}  // namespace kernelscape::network
