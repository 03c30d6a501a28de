#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/measure/worker/protocol.h"

using namespace kernelscape;

namespace {

template <typename Message>
void check(const measure::Frame& frame) {
  const auto message = measure::decode_message<Message>(frame);
  // What was read must be exactly what such a message is written as.
  if (message && measure::encode_message(*message) != frame.payload) __builtin_trap();
}

}  // namespace

/** A stream of hostile bytes: frames are cut from it and read as every message. */
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  measure::FrameParser parser;
  parser.feed({reinterpret_cast<const char*>(data), size});
  while (true) {
    const auto frame = parser.next();
    if (!frame || !frame->has_value()) return 0;
    check<measure::Hello>(**frame);
    check<measure::Ready>(**frame);
    check<measure::BuildRequest>(**frame);
    check<measure::BuildReply>(**frame);
    check<measure::PrepareRequest>(**frame);
    check<measure::PrepareReply>(**frame);
    check<measure::RunRequest>(**frame);
    check<measure::RunReply>(**frame);
    check<measure::BaselineRequest>(**frame);
    check<measure::BaselineReply>(**frame);
    check<measure::ProbeRequest>(**frame);
    check<measure::ProbeReply>(**frame);
    check<measure::LimitsRequest>(**frame);
    check<measure::LimitsReply>(**frame);
    check<measure::SpeedProbeRequest>(**frame);
    check<measure::SpeedProbeReply>(**frame);
  }
}
