#include "core/task/epilogue.h"

namespace kernelscape::task {

bool has_operand(EpilogueKind kind) {
  return kind == EpilogueKind::Bias || kind == EpilogueKind::Scale || kind == EpilogueKind::Add;
}

}  // namespace kernelscape::task
