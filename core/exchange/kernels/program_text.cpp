#include "core/exchange/kernels/kernel_files.h"
#include "export_text.h"

namespace kernelscape::exchange {

base::CSourceText team_text(const KernelLibrary& library, TeamThreads threads) {
  const bool bound = threads == TeamThreads::Bound;
  base::CSourceText text(export_text::team_size_c);
  if (bound) text += export_text::team_places_c;
  if (library.has_vendors()) return text + export_text::openmp_team_c;
  return text + (bound ? export_text::bound_threads_c : export_text::free_threads_c) +
         export_text::own_team_c;
}

base::CSourceText openmp_include(const KernelLibrary& library) {
  return library.has_vendors() ? base::CSourceText("#include <omp.h>\n") : base::CSourceText();
}

base::CSourceText kernel_call(const KernelLibrary& library, base::Literal kernel, base::Literal work) {
  if (!library.has_vendors()) return base::write<base::CSource>("team_call({});", work);
  return base::write<base::CSource>(
      "if ({0}->vendor != NULL)\n    {1}(0, team.parts);\n  else\n    team_call({1});", kernel, work);
}

}  // namespace kernelscape::exchange
