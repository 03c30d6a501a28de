#include "core/exchange/kernels/kernel_files.h"
#include "core/task/reference.h"
#include "export_text.h"

namespace kernelscape::exchange {
namespace {

constexpr base::Literal check_all_conversions = R"(  for (int i = 0; i < LIBRARY_conversion_count; ++i)
    if (!check_conversion(&LIBRARY_conversions[i])) wrong = 1;
)";

constexpr base::Literal case_type =
    R"(/* What a kernel's output is compared with: |error| <= absolute + relative * magnitude. */
typedef struct check_case {
  const LIBRARY_kernel *kernel;
  double (*expected)(long long number, const void *const *plain, double *magnitude, long long *position);
  double absolute;
  double relative;
} check_case;

static const check_case check_cases[] = {
)";

}  // namespace

base::CSourceText library_check(const KernelLibrary& library) {
  base::CSourceText text = base::filled<base::CSource>(
      export_text::check_begin_c,
      {{"LIBRARY", base::CSource::name(library.name)}, {"EXPORT_OPENMP", openmp_include(library)}});
  for (const ExportedKernel& kernel : library.kernels) text += reference_function(kernel);
  text += with_library_name(case_type, library);
  for (std::size_t i = 0; i < library.kernels.size(); ++i) {
    const ExportedKernel& kernel = library.kernels[i];
    const task::Tolerance tolerance =
        task::tolerance_of(*kernel.measured.task.op, kernel.source.arguments[1].layout.winograd_tile);
    text += base::write<base::CSource>("    {{&{}_kernels[{}], {}_expected, {:.17g}, {:.17g}}},\n",
                                       base::CSource::name(library.name), i, base::CSource::name(kernel.name),
                                       tolerance.absolute, tolerance.relative);
  }
  const bool converts = library.pass != nullptr;
  return text + "};\n" +
         base::filled<base::CSource>(
             export_text::check_program_c,
             {{"LIBRARY", base::CSource::name(library.name)},
              {"EXPORT_TENSORS", base::write<base::CSource>("{}", library.tensors())},
              {" EXPORT_OPERANDS",
               library.has_operands() ? base::CSourceText(", check_called.packed + 3") : base::CSourceText()},
              {"EXPORT_TEAM", team_text(library, TeamThreads::Free)},
              {"EXPORT_CALL;", kernel_call(library, "check_called.kernel", "check_run_part")},
              {"EXPORT_CHECK_CONVERSION\n",
               converts ? with_library_name(export_text::check_conversion_c, library) : base::CSourceText()},
              {"  EXPORT_CONVERSIONS\n",
               converts ? with_library_name(check_all_conversions, library) : base::CSourceText()}});
}

}  // namespace kernelscape::exchange
