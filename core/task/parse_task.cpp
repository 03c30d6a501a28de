#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "core/base/text.h"
#include "core/base/visible_text.h"
#include "core/task/checks.h"
#include "core/task/task.h"

namespace kernelscape::task {
namespace {

using Shape = std::vector<std::int64_t>;

constexpr std::array operator_kinds = {"conv1d", "conv2d", "conv3d", "matmul", "bmm", "gemv"};
constexpr std::size_t longest_text = 1000;

/** Splits a line into words separated by white space. */
std::vector<std::string> split_words(std::string_view text) {
  std::vector<std::string> words(1);
  for (const char c : text) {
    const bool space = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    if (!space) words.back().push_back(c);
    if (space && !words.back().empty()) words.emplace_back();
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

Result<std::int64_t> parse_number(std::string_view what, std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range)
    return fail(ErrorCode::InvalidArgument, fmt::format("{}: {} is too large", what, base::one_line(text)),
                "it must be below 2^53");
  if (error != std::errc() || end != text.data() + text.size())
    return fail(ErrorCode::InvalidArgument,
                fmt::format("{}: {} is not a whole number", what, base::quoted_line(text)),
                "write numbers joined by x, such as 1x64x56x56");
  return value;
}

/** Parses numbers joined by x. */
Result<Shape> parse_numbers(std::string_view what, std::string_view text) {
  Shape numbers;
  for (const std::string& part : base::split_text(text, 'x'))
    numbers.push_back(TRY(parse_number(what, part)));
  return numbers;
}

/** Parses positive extents joined by x, and checks their number. */
Result<Shape> parse_shape(std::string_view what, std::string_view text, std::size_t dimensions,
                          std::string_view meaning) {
  Shape shape = TRY(parse_numbers(what, text));
  if (shape.size() != dimensions) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("{} {} has {} dimensions", what, base::one_line(text), shape.size()),
                fmt::format("it must have {}: {}", dimensions, meaning));
  }
  for (const std::int64_t extent : shape) {
    TRY(check_number(fmt::format("{} {}", what, base::one_line(text)), "an extent", extent));
  }
  return shape;
}

/** The words after the shapes. */
struct Attributes {
  std::vector<std::pair<std::string, std::string>> values;  ///< "stride=2"
  std::vector<std::string> flags;                           ///< "transposed"
  std::optional<OperandTypes> types;

  bool has(std::string_view flag) const { return std::ranges::find(flags, flag) != flags.end(); }

  std::string_view value(std::string_view key, std::string_view otherwise) const {
    for (const auto& [name, text] : values) {
      if (name == key) return text;
    }
    return otherwise;
  }
};

/** The attributes that an operator accepts. */
struct Vocabulary {
  std::vector<std::string> keys;
  std::vector<std::string> flags;
};

Status add_value(const Vocabulary& vocabulary, std::string_view kind, const std::string& word,
                 Attributes& attributes) {
  const std::size_t equals = word.find('=');
  const std::string key = word.substr(0, equals);
  if (std::ranges::find(vocabulary.keys, key) == vocabulary.keys.end()) {
    return fail(ErrorCode::NotFound, fmt::format("{}: unknown attribute {}", kind, base::quoted_line(key)),
                vocabulary.keys.empty() ? fmt::format("{} takes no attributes with a value", kind)
                                        : base::suggest(key, vocabulary.keys));
  }
  if (!attributes.value(key, {}).empty())
    return fail(ErrorCode::InvalidArgument, fmt::format("{}: {} is given twice", kind, key), "give it once");
  std::string text = word.substr(equals + 1);
  if (text.empty())
    return fail(ErrorCode::InvalidArgument, fmt::format("{}: {} has no value", kind, key),
                fmt::format("write {}=1", key));
  attributes.values.emplace_back(key, std::move(text));
  return {};
}

Status add_word(const Vocabulary& vocabulary, std::string_view kind, const std::string& word,
                Attributes& attributes) {
  if (std::ranges::find(vocabulary.flags, word) != vocabulary.flags.end()) {
    if (attributes.has(word))
      return fail(ErrorCode::InvalidArgument, fmt::format("{}: {} is given twice", kind, word),
                  "give it once");
    attributes.flags.push_back(word);
    return {};
  }
  if (const Result<OperandTypes> types = parse_operand_types(word)) {
    if (attributes.types)
      return fail(ErrorCode::InvalidArgument,
                  fmt::format("{}: a second type {}", kind, base::quoted_line(word)), "give one type");
    attributes.types = *types;
    return {};
  }
  std::vector<std::string> known = vocabulary.flags;
  known.insert(known.end(), {"f32", "f64", "f16", "bf16", "i8"});
  for (const std::string& key : vocabulary.keys) known.push_back(key + "=");
  return fail(ErrorCode::NotFound,
              fmt::format("{}: unknown type or attribute {}", kind, base::quoted_line(word)),
              base::suggest(word, known));
}

Result<Attributes> parse_attributes(const Vocabulary& vocabulary, const std::vector<std::string>& words) {
  Attributes attributes;
  for (std::size_t i = 3; i < words.size(); ++i) {
    const bool has_value = words[i].find('=') != std::string::npos;
    TRY((has_value ? add_value : add_word)(vocabulary, words[0], words[i], attributes));
  }
  return attributes;
}

/** Returns one value per dimension; a single number applies to all dimensions. */
Result<Shape> per_dimension(const Attributes& attributes, std::string_view key, std::string_view otherwise,
                            std::size_t dimensions) {
  Shape numbers = TRY(parse_numbers(key, attributes.value(key, otherwise)));
  if (numbers.size() == 1) numbers.resize(dimensions, numbers.front());
  if (numbers.size() == dimensions) return numbers;
  return fail(ErrorCode::InvalidArgument, fmt::format("{} has {} numbers", key, numbers.size()),
              fmt::format("give one, or {} joined by x", dimensions));
}

/** Reads the padding, whose numbers may be pairs: 0:1. */
Status read_padding(const Attributes& attributes, std::size_t dimensions, Convolution& convolution) {
  std::vector<std::string> parts = base::split_text(attributes.value("pad", "0"), 'x');
  if (parts.size() == 1) parts.resize(dimensions, parts.front());
  if (parts.size() != dimensions) {
    return fail(ErrorCode::InvalidArgument, fmt::format("pad has {} numbers", parts.size()),
                fmt::format("give one, or {} joined by x", dimensions));
  }
  for (const std::string& part : parts) {
    const std::size_t colon = part.find(':');
    const std::int64_t begin = TRY(parse_number("pad", std::string_view(part).substr(0, colon)));
    convolution.padding.push_back(begin);
    convolution.padding_end.push_back(
        colon == std::string::npos ? begin
                                   : TRY(parse_number("pad", std::string_view(part).substr(colon + 1))));
  }
  return {};
}

/** Reads the attributes of a convolution. */
Status read_attributes(const Attributes& attributes, std::size_t dimensions, Convolution& convolution) {
  struct Target {
    const char* key;
    const char* otherwise;
    Shape& values;
  };
  for (const auto& [key, otherwise, values] :
       {Target{"stride", "1", convolution.stride}, Target{"dilation", "1", convolution.dilation}}) {
    values = TRY(per_dimension(attributes, key, otherwise, dimensions));
  }
  TRY(read_padding(attributes, dimensions, convolution));
  convolution.groups = TRY(parse_number("groups", attributes.value("groups", "1")));
  convolution.transposed = attributes.has("transposed");
  return check_number("a convolution", "groups", convolution.groups);
}

/** Checks the dimension of the weights that must equal the channels of data (or the channels of a group). */
Status check_weight(const Convolution& convolution, const Shape& weight) {
  const std::size_t dimension = convolution.transposed ? 0 : 1;
  const std::int64_t expected =
      convolution.transposed ? convolution.input_channels : convolution.input_channels / convolution.groups;
  if (weight[dimension] == expected) return {};
  Shape fitting = weight;
  fitting[dimension] = expected;
  return fail(ErrorCode::InvalidArgument,
              fmt::format("the weights {} are for {} input channels{}, but the data has {}",
                          shape_text(weight), weight[dimension],
                          convolution.groups > 1 && !convolution.transposed ? " per group" : "", expected),
              fmt::format("weights {} would fit", shape_text(fitting)));
}

Result<Task> parse_convolution(const std::vector<std::string>& words, std::size_t dimensions) {
  const Vocabulary vocabulary = {{"stride", "pad", "dilation", "groups"}, {"transposed"}};
  const auto data = TRY(parse_shape("data", words[1], dimensions + 2, "batch, channels, then the size"));
  const auto weight =
      TRY(parse_shape("weights", words[2], dimensions + 2, "two channel dimensions, then the kernel"));
  const Attributes attributes = TRY(parse_attributes(vocabulary, words));

  Convolution convolution;
  convolution.batch = data.at(0);
  convolution.input_channels = data.at(1);
  convolution.input_size.assign(data.begin() + 2, data.end());
  convolution.kernel.assign(weight.begin() + 2, weight.end());
  TRY(read_attributes(attributes, dimensions, convolution));
  convolution.output_channels = weight.at(0);
  if (convolution.transposed &&
      __builtin_mul_overflow(weight.at(1), convolution.groups, &convolution.output_channels))
    convolution.output_channels = count_limit;
  Task task = TRY(make_convolution_task(convolution, attributes.types.value_or(OperandTypes{})));
  TRY(check_weight(convolution, weight));
  return task;
}

Result<Task> parse_multiplication(const std::vector<std::string>& words, bool batched) {
  const std::size_t dimensions = batched ? 3 : 2;
  const char* meaning = batched ? "batch, rows, columns" : "rows, columns";
  const auto a = TRY(parse_shape("the first operand", words[1], dimensions, meaning));
  const auto b = TRY(parse_shape("the second operand", words[2], dimensions, meaning));
  const Attributes attributes = TRY(parse_attributes({{}, {"transpose_a", "transpose_b"}}, words));

  MatrixMultiplication m;
  m.batched = batched;
  m.transpose_a = attributes.has("transpose_a");
  m.transpose_b = attributes.has("transpose_b");
  std::span rows_columns_a = std::span(a).last(2);
  std::span rows_columns_b = std::span(b).last(2);
  m.batch = batched ? a.front() : 1;
  m.m = rows_columns_a[m.transpose_a ? 1 : 0];
  m.k = rows_columns_a[m.transpose_a ? 0 : 1];
  m.n = rows_columns_b[m.transpose_b ? 0 : 1];
  if (batched && b.front() != m.batch) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("bmm: the batches {} and {} differ", m.batch, b.front()),
                "both operands must have the same first extent");
  }
  if (const std::int64_t k = rows_columns_b[m.transpose_b ? 1 : 0]; k != m.k) {
    return fail(
        ErrorCode::InvalidArgument,
        fmt::format("{}: the shapes {} and {} do not match: K is {} in the first and {} in the second",
                    words[0], words[1], words[2], m.k, k),
        "write MxK times KxN; transpose_a and transpose_b mean that operands are stored as KxM and NxK");
  }
  return make_matmul_task(m, attributes.types.value_or(OperandTypes{}));
}

Result<Task> parse_matrix_vector(const std::vector<std::string>& words) {
  const auto a = TRY(parse_shape("the matrix", words[1], 2, "rows, columns"));
  const auto vector = TRY(parse_shape("the vector", words[2], 1, "its length"));
  const Attributes attributes = TRY(parse_attributes({}, words));
  if (vector.front() != a.at(1)) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("gemv: the shapes {} and {} do not match", base::one_line(words[1]),
                            base::one_line(words[2])),
                fmt::format("the vector must have length {}", a.at(1)));
  }
  MatrixMultiplication m;
  m.m = a.at(0);
  m.k = a.at(1);
  return make_matmul_task(m, attributes.types.value_or(OperandTypes{}));
}

Result<Task> parse_sums(std::string_view text) {
  constexpr const char* example = "write for example: conv2d 1x64x56x56 64x64x3x3 stride=1 pad=1 f32";
  const std::vector<std::string> words = split_words(text);
  if (words.empty()) return fail(ErrorCode::InvalidArgument, "an empty task", example);
  const std::string& kind = words.front();
  const std::vector<std::string> known(operator_kinds.begin(), operator_kinds.end());
  if (std::ranges::find(known, kind) == known.end())
    return fail(ErrorCode::NotFound, fmt::format("unknown operator {}", base::quoted_line(kind)),
                base::suggest(kind, known));
  if (words.size() < 3)
    return fail(ErrorCode::InvalidArgument, fmt::format("{} needs the shapes of two operands", kind),
                example);

  if (kind == "matmul" || kind == "bmm") return parse_multiplication(words, kind == "bmm");
  if (kind == "gemv") return parse_matrix_vector(words);
  return parse_convolution(words, static_cast<std::size_t>(kind.at(4) - '0'));
}

}  // namespace

Result<Task> parse_task(std::string_view text) {
  if (text.size() > longest_text) {
    return fail(ErrorCode::InvalidArgument, fmt::format("a task of {} characters", text.size()),
                fmt::format("it may have at most {}", longest_text));
  }
  const std::size_t epilogue = std::min(text.find('+'), text.size());
  Task task = TRY(parse_sums(text.substr(0, epilogue)));
  if (epilogue == text.size()) return task;
  const std::vector<EpilogueStep> steps = TRY(parse_epilogue(text.substr(epilogue)));
  if (split_words(text).front() == "gemv") TRY(check_column_vectors(task, steps));
  return with_epilogue(std::move(task), steps);
}

}  // namespace kernelscape::task
