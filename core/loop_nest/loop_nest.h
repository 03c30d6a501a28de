#pragma once

namespace kernelscape {

class LoopNest {};

}  // namespace kernelscape
