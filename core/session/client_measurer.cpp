#include "core/session/client_measurer.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/visible_text.h"

namespace kernelscape::session {
namespace {

constexpr std::chrono::milliseconds end_patience{100};

Error refusal_text(LineError kind, std::int64_t trial) {
  switch (kind) {
    case LineError::AlreadyStored:
      return {ErrorCode::Refused, fmt::format("trial {} already has a result, which is kept", trial),
              "ask for further configurations"};
    case LineError::SessionEnded:
      return {ErrorCode::Refused,
              fmt::format("the session has ended: the result of trial {} is not stored", trial),
              "resume the session with a higher budget: it asks again for trials without a result"};
    default:
      return {ErrorCode::InvalidArgument, fmt::format("trial {} was never handed out", trial),
              "name a trial of an answer to `ask`"};
  }
}

}  // namespace

ClientMeasurer::ClientMeasurer(const Setup& setup, ClientLines& lines, const StopRequest& user_stop,
                               Clock clock, Greeting greeting)
    : setup_(setup),
      lines_(lines),
      user_stop_(user_stop),
      clock_(std::move(clock)),
      greeting_(std::move(greeting)),
      trial_end_(greeting_.proposed) {
  for (const trial::MetricName& metric : greeting_.metrics) units_.emplace(metric.name, metric.unit);
}

void ClientMeasurer::started(store::SessionId, const store::SessionRecord& record) {
  hello_ = hello_line(record, setup_, greeting_.database, greeting_.earlier, greeting_.resumed);
}

/** Follows the catching up of a resumed session, which may fail. */
void ClientMeasurer::batch_started(std::int32_t, std::size_t) { greet(); }

void ClientMeasurer::greet() {
  if (!hello_.empty()) lines_.write(std::exchange(hello_, {}));
}

Status ClientMeasurer::submit(std::span<const space::Configuration> batch) {
  if (batch.size() != numbers_.size())
    return fail(ErrorCode::Internal, "a batch was submitted without the numbers of its trials");
  abort();
  held_back_ = false;
  finished_ = 0;
  for (std::size_t position = 0; position < batch.size(); ++position) {
    const std::int64_t trial = numbers_[position];
    open_.emplace(trial, Candidate{position, batch[position]});
    waiting_.push_back(trial);
    trial_end_ = std::max(trial_end_, trial + 1);
  }
  return {};
}

Result<std::vector<measure::Completed>> ClientMeasurer::collect(std::chrono::milliseconds patience) {
  pass_on_stop();
  if (client_ended_) return std::vector<measure::Completed>();
  return answer(lines_.read(patience));
}

void ClientMeasurer::serve_after_end(std::string_view reason) {
  session_ended_ = reason;
  greet();
  while (!client_ended_ && user_stop_.level() == 0) answer(lines_.read(end_patience));
}

void ClientMeasurer::pass_on_stop() {
  if (user_stop_.level() == 1) stop_.stop_gracefully();
  if (user_stop_.level() > 1) stop_.stop_at_once();
}

std::string_view ClientMeasurer::done_reason() const {
  if (!session_ended_.empty()) return session_ended_;
  if (stop_.level() > 0) return "the session is being stopped";
  return held_back_ ? "the session ends when the outstanding trials have results" : std::string_view();
}

std::vector<measure::Completed> ClientMeasurer::answer(const ClientLines::Received& received) {
  if (received.kind == ClientLines::Kind::None) return {};
  if (received.kind == ClientLines::Kind::End) {
    client_ended_ = true;
    // A session that reached its limit ends because of it, even if the client does not wait for the end.
    if (!held_back_) stop_.stop_gracefully();
    return {};
  }
  if (received.kind == ClientLines::Kind::TooLong) {
    write_error(LineError::BadLine,
                {ErrorCode::InvalidArgument, fmt::format("the line has over {} bytes", max_client_line_bytes),
                 "report fewer results in one line"});
    return {};
  }
  Result<ClientRequest> request = parse_client_request(received.text);
  if (!request) {
    write_error(LineError::BadLine, request.error());
    return {};
  }
  if (auto* tell = std::get_if<TellRequest>(&*request)) return take_results(std::move(*tell));
  if (const auto* ask = std::get_if<AskRequest>(&*request))
    answer_ask(*ask);
  else
    answer_hello(std::get<HelloRequest>(*request));
  return {};
}

void ClientMeasurer::answer_hello(const HelloRequest& request) {
  if (request.protocol == client_protocol_version) {
    lines_.write(welcome_line());
    return;
  }
  write_error(LineError::Protocol,
              {ErrorCode::Refused,
               fmt::format("the client speaks version {} of the protocol, this program version {}",
                           request.protocol, client_protocol_version),
               "use the client of this version of Kernelscape"});
}

void ClientMeasurer::answer_ask(const AskRequest& request) {
  const std::string_view reason = done_reason();
  std::vector<HandedOut> handed;
  while (reason.empty() && handed.size() < request.count && !waiting_.empty()) {
    const std::int64_t trial = waiting_.front();
    waiting_.pop_front();
    Candidate& candidate = open_.at(trial);
    candidate.handed_out = true;
    ++handed_out_;
    handed.push_back({trial, candidate.configuration});
  }
  update_busy();
  lines_.write(configurations_line(setup_.space, handed, handed_out_, reason));
}

/** Takes all results, or none if one of them cannot be taken. */
std::vector<measure::Completed> ClientMeasurer::take_results(TellRequest request) {
  for (const ClientResult& result : request.results) {
    const std::optional<LineError> kind = refusal(result.trial);
    if (!kind) continue;
    write_error(*kind, refusal_text(*kind, result.trial));
    return {};
  }
  if (const Status taken = take_units(request); !taken) {
    write_error(LineError::BadLine, taken.error());
    return {};
  }
  std::vector<measure::Completed> completed;
  for (ClientResult& result : request.results) {
    const auto found = open_.find(result.trial);
    // A client that outlived an earlier run knows trials that this run has not handed out yet.
    if (found->second.handed_out)
      --handed_out_;
    else
      std::erase(waiting_, result.trial);
    completed.push_back({found->second.position, std::move(result.measurement)});
    open_.erase(found);
    ++finished_;
  }
  update_busy();
  return completed;
}

Status ClientMeasurer::take_units(const TellRequest& request) {
  std::map<std::string, std::string> units = units_;
  for (const ClientResult& result : request.results)
    for (const trial::Metric& metric : result.measurement.metrics) {
      const auto known = units.find(metric.name);
      if (known != units.end() && known->second != metric.unit)
        return fail(ErrorCode::InvalidArgument,
                    fmt::format("the unit of the metric {} was {} and is {} for trial {}",
                                base::quoted_line(metric.name), base::quoted_line(known->second),
                                base::quoted_line(metric.unit), result.trial),
                    "give a metric the same unit in all results");
      // The store leaves further ones out.
      if (units.size() < trial::max_metrics) units.emplace(metric.name, metric.unit);
    }
  units_ = std::move(units);
  return {};
}

std::optional<LineError> ClientMeasurer::refusal(std::int64_t trial) const {
  if (!session_ended_.empty()) return LineError::SessionEnded;
  if (open_.contains(trial)) return std::nullopt;
  return trial < trial_end_ ? LineError::AlreadyStored : LineError::UnknownTrial;
}

measure::BatchProgress ClientMeasurer::progress() const {
  return {.running = client_ended_ ? 0 : handed_out_, .finished = finished_};
}

measure::BusyTimes ClientMeasurer::take_busy_times() {
  update_busy();
  return {.run_seconds = std::exchange(busy_seconds_, 0)};
}

bool ClientMeasurer::hold_back() {
  held_back_ = true;
  return true;
}

void ClientMeasurer::update_busy() {
  const double now = clock_();
  if (busy_since_) busy_seconds_ += now - *busy_since_;
  busy_since_ = handed_out_ > 0 ? std::optional(now) : std::nullopt;
}

void ClientMeasurer::abort() {
  open_.clear();
  waiting_.clear();
  handed_out_ = 0;
  update_busy();
}

void ClientMeasurer::trials_submitted(std::span<const std::int64_t> numbers) {
  numbers_.assign(numbers.begin(), numbers.end());
}

void ClientMeasurer::trial_finished(const trial::Trial& trial, const store::SessionStatus&) {
  unacknowledged_.push_back(trial.number);
}

/** Follows each commit of results. */
void ClientMeasurer::progress(const measure::BatchProgress&, const store::SessionStatus& status) {
  if (!unacknowledged_.empty()) lines_.write(stored_line(std::exchange(unacknowledged_, {}), status));
}

}  // namespace kernelscape::session
