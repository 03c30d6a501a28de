#include "core/project/program_data.h"

#include <array>
#include <string_view>

namespace kernelscape::project {
namespace {

struct ElementFacts {
  std::string_view name;
  std::size_t bytes;
};

/** Indexed by ElementType. */
constexpr std::array<ElementFacts, element_type_count> element_facts{{{"bool", 1},
                                                                      {"int8", 1},
                                                                      {"uint8", 1},
                                                                      {"int16", 2},
                                                                      {"uint16", 2},
                                                                      {"int32", 4},
                                                                      {"uint32", 4},
                                                                      {"int64", 8},
                                                                      {"uint64", 8},
                                                                      {"half", 2},
                                                                      {"float", 4},
                                                                      {"double", 8}}};

}  // namespace

std::size_t element_bytes(ElementType type) { return element_facts[static_cast<std::size_t>(type)].bytes; }

std::string to_string(ElementType type) {
  return std::string(element_facts[static_cast<std::size_t>(type)].name);
}

}  // namespace kernelscape::project
