#include "core/exchange/kernels/program_text.h"

#include "core/exchange/kernels/kernel_files.h"

namespace kernelscape {

CSourceText team_text(const KernelLibrary& library, TeamThreads threads) {
  const bool bound = threads == TeamThreads::Bound;
  CSourceText text(team_size_text);
  if (bound) text += team_places_text;
  if (library.has_vendors()) return text + openmp_team_text;
  return text + (bound ? bound_threads_text : free_threads_text) + own_team_text;
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
