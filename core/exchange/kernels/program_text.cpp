#include "core/exchange/kernels/kernel_files.h"
#include "export_text.h"

namespace kernelscape {

CSourceText team_text(const KernelLibrary& library, TeamThreads threads) {
  const bool bound = threads == TeamThreads::Bound;
  CSourceText text(export_text::team_size_c);
  if (bound) text += export_text::team_places_c;
  if (library.has_vendors()) return text + export_text::openmp_team_c;
  return text + (bound ? export_text::bound_threads_c : export_text::free_threads_c) +
         export_text::own_team_c;
}

CSourceText openmp_include(const KernelLibrary& library) {
  return library.has_vendors() ? CSourceText("#include <omp.h>\n") : CSourceText();
}

CSourceText kernel_call(const KernelLibrary& library, Literal kernel, Literal work) {
  if (!library.has_vendors()) return write<CSource>("team_call({});", work);
  return write<CSource>("if ({0}->vendor != NULL)\n    {1}(0, team.parts);\n  else\n    team_call({1});",
                        kernel, work);
}

}  // namespace kernelscape
