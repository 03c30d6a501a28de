#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/measure/worker/protocol.h"

using namespace kernelscape;

namespace {

template <typename Message>
void check(const Frame& frame) {
  const auto message = decode_message<Message>(frame);
  // What was read must be exactly what such a message is written as.
  if (message && encode_message(*message) != frame.payload) __builtin_trap();
}

}  // namespace

/** A stream of hostile bytes: frames are cut from it and read as every message. */
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  FrameParser parser;
  parser.feed({reinterpret_cast<const char*>(data), size});
  while (true) {
    const auto frame = parser.next();
    if (!frame || !frame->has_value()) return 0;
    check<Hello>(**frame);
    check<Ready>(**frame);
    check<BuildRequest>(**frame);
    check<BuildReply>(**frame);
    check<PrepareRequest>(**frame);
    check<PrepareReply>(**frame);
    check<RunRequest>(**frame);
    check<RunReply>(**frame);
    check<BaselineRequest>(**frame);
    check<BaselineReply>(**frame);
    check<ProbeRequest>(**frame);
    check<ProbeReply>(**frame);
    check<LimitsRequest>(**frame);
    check<LimitsReply>(**frame);
  }
}
