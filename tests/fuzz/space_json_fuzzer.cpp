#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "core/space/search_space.h"

/** Any bytes give a space or an error; a space comes back the same from its own text. */
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kernelscape;
  const auto space = space::space_from_json(std::string_view(reinterpret_cast<const char*>(data), size));
  if (!space) return 0;
  const std::string text = space::space_to_json(*space);
  const auto again = space::space_from_json(text);
  if (!again || again->fingerprint() != space->fingerprint() || space::space_to_json(*again) != text)
    std::abort();
  const space::Configuration first = space->at(0);
  const auto evaluation = space->constraints().evaluate(space->knobs(), first);
  for (const std::size_t constraint : evaluation.violated) {
    if (space->constraints().explain(constraint, evaluation).empty()) std::abort();
  }
  if (!space->explicit_members() && evaluation.violated.empty() != space->contains(first)) std::abort();
  return 0;
}
