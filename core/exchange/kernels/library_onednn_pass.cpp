#include "core/exchange/kernels/kernel_files.h"
#include "core/exchange/kernels/onednn_text.h"
#include "export_text.h"

namespace kernelscape::exchange {
namespace {

base::CSourceText operand_text(const task::CallOperand& operand) {
  std::vector<std::int64_t> calls(operand.calls.begin(), operand.calls.end());
  return base::write<base::CSource>(
      "{{{}, {}}}", operand.constant ? base::Literal("true") : base::Literal("false"), braced_list(calls));
}

}  // namespace

base::CSourceText library_onednn_pass(const KernelLibrary& library) {
  const KernelOrder& order = library.pass->order;
  base::CSourceText text =
      with_library_name(export_text::pass_onednn_begin_cpp, library) + export_text::onednn_layer_cpp;
  text += base::filled<base::CSource>(
      export_text::pass_onednn_order_cpp,
      {{"EXPORT_KNOWN", order.known ? base::CSourceText("true") : base::CSourceText("false")}});
  text += "const std::vector<Layer> &layers() {\n  static const std::vector<Layer> all = {\n";
  for (const ExportedKernel& kernel : library.kernels)
    text += base::write<base::CSource>("      /* {} */\n      {},\n",
                                       base::CSource::comment(kernel.measured.task.text),
                                       onednn_layer(kernel.measured.task));
  text +=
      "  };\n  return all;\n}\n\nconst std::vector<Call> &calls() {\n  static const std::vector<Call> all = "
      "{\n";
  for (const task::LayerCall& call : order.calls)
    text += base::write<base::CSource>("      {{{}, {{{}, {}}}}},\n", call.layer,
                                       operand_text(call.operands[0]), operand_text(call.operands[1]));
  return text + "  };\n  return all;\n}\n" + export_text::pass_onednn_program_cpp;
}

}  // namespace kernelscape::exchange
