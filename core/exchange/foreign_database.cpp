#include "core/exchange/foreign_database.h"

#include <algorithm>
#include <array>

#include "core/exchange/import_opentuner.h"
#include "core/exchange/import_optuna.h"

namespace kernelscape::exchange {

const ForeignDatabase* foreign_database(const std::filesystem::path& path) {
  static constexpr std::array kinds{
      ForeignDatabase{"a storage of Optuna", is_optuna_storage, read_optuna_storage},
      ForeignDatabase{"a database of OpenTuner", is_opentuner_database, read_opentuner_database}};
  const auto found =
      std::ranges::find_if(kinds, [&](const ForeignDatabase& kind) { return kind.recognises(path); });
  return found == kinds.end() ? nullptr : &*found;
}

}  // namespace kernelscape::exchange
