#include "core/exchange/kernels/program_text.h"

#include "core/exchange/kernels/kernel_files.h"

namespace kernelscape {

CSourceText team_text(const KernelLibrary& library) {
  return CSourceText(team_size_text) + (library.has_vendors() ? openmp_team_text : own_team_text);
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
