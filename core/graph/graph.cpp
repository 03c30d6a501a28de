#include "core/graph/graph.h"

#include <algorithm>
#include <utility>

namespace kernelscape::graph {

namespace {

struct TypeForm {
  const char* name;
  std::int64_t bytes;
};

/** Returns the name and the bytes of a type. */
TypeForm form_of(ElementType type) {
  switch (type) {
    case ElementType::F32:
      return {"f32", 4};
    case ElementType::F64:
      return {"f64", 8};
    case ElementType::F16:
      return {"f16", 2};
    case ElementType::BF16:
      return {"bf16", 2};
    case ElementType::I8:
      return {"i8", 1};
    case ElementType::U8:
      return {"u8", 1};
    case ElementType::I16:
      return {"i16", 2};
    case ElementType::U16:
      return {"u16", 2};
    case ElementType::I32:
      return {"i32", 4};
    case ElementType::U32:
      return {"u32", 4};
    case ElementType::I64:
      return {"i64", 8};
    case ElementType::U64:
      return {"u64", 8};
    case ElementType::Bool:
      return {"bool", 1};
  }
  return {"", 1};
}

/** Returns the attribute of a name and type; nullptr if the node has none. */
template <typename T>
const T* find_attribute(const Node& node, std::string_view name) {
  const auto found = node.attributes.find(std::string(name));
  return found == node.attributes.end() ? nullptr : std::get_if<T>(&found->second);
}

}  // namespace

std::string to_string(ElementType type) { return form_of(type).name; }

std::int64_t bytes_of(ElementType type) { return form_of(type).bytes; }

std::int64_t element_count(const Shape& shape) {
  std::int64_t count = 1;
  for (const std::int64_t extent : shape) count *= extent;
  return count;
}

std::size_t Node::own_input_count() const {
  const auto operands = std::ranges::count_if(
      epilogue, [](const task::EpilogueStep& step) { return task::has_operand(step.kind); });
  return inputs.size() - static_cast<std::size_t>(operands);
}

std::size_t Graph::add(Value value) {
  values.push_back(std::move(value));
  return values.size() - 1;
}

std::size_t Graph::add_constant(std::string constant_name, ElementType type, Shape shape,
                                std::vector<std::byte> bytes) {
  return add({.name = std::move(constant_name),
              .type = type,
              .shape = std::move(shape),
              .constant = true,
              .data = std::make_shared<const std::vector<std::byte>>(std::move(bytes))});
}

std::int64_t integer_attribute(const Node& node, std::string_view name, std::int64_t otherwise) {
  const auto* value = find_attribute<std::int64_t>(node, name);
  return value != nullptr ? *value : otherwise;
}

double number_attribute(const Node& node, std::string_view name, double otherwise) {
  const auto* value = find_attribute<double>(node, name);
  return value != nullptr ? *value : otherwise;
}

std::string text_attribute(const Node& node, std::string_view name, std::string otherwise) {
  const auto* value = find_attribute<std::string>(node, name);
  return value != nullptr ? *value : std::move(otherwise);
}

std::vector<std::int64_t> integers_attribute(const Node& node, std::string_view name,
                                             std::vector<std::int64_t> otherwise) {
  const auto* value = find_attribute<std::vector<std::int64_t>>(node, name);
  return value != nullptr ? *value : std::move(otherwise);
}

}  // namespace kernelscape::graph
