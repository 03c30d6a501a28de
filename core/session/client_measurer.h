#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/session/client_protocol.h"
#include "core/session/session.h"

namespace kernelscape::session {

/** The lines between an ask-tell session and its client. */
class ClientLines {
 public:
  enum class Kind : std::uint8_t {
    None,     ///< no line arrived yet
    Line,     ///< `text` is a line without its end
    TooLong,  ///< a line that is longer than max_client_line_bytes arrived and was dropped
    End       ///< the client has closed its end: no line will arrive
  };
  struct Received {
    Kind kind = Kind::None;
    std::string text{};
  };

  virtual ~ClientLines() = default;
  /** Waits up to `patience` for a line. */
  virtual Received read(std::chrono::milliseconds patience) = 0;
  /** Sends a line. A client that has gone is noticed by read(). */
  virtual void write(std::string_view line) = 0;
};

/** Maximum length of a client's line; a result has at most 100,000 samples. */
inline constexpr std::size_t max_client_line_bytes = 16U << 20U;

/**
 * Measures a session's configurations by giving them to a client that asks for them and reports results. A
 * result is acknowledged after it was stored: the object observes the session that it measures for.
 */
class ClientMeasurer final : public measure::Measurer, public Observer {
 public:
  /** What the first line to the client says beside the session's setup. */
  struct Greeting {
    std::string database{};
    store::SessionStatus earlier{};  ///< of a resumed session
    bool resumed = false;
    std::int64_t proposed = 0;  ///< trials that earlier runs proposed, with or without a result
    std::vector<trial::MetricName> metrics{};  ///< that trials of earlier runs have
  };

  /**
   * @param setup, lines, user_stop must outlive this object
   * @param user_stop ends the session like the end of the client's lines, but waits for running trials: until
   * the client has reported their results or has closed its end, or the user stops again
   */
  ClientMeasurer(const Setup& setup, ClientLines& lines, const StopRequest& user_stop, Clock clock,
                 Greeting greeting);

  /** Returns the stop request for the session's tools. */
  const StopRequest& stop() const { return stop_; }
  /** Answers the client after the session has ended, until the client closes its end or the user stops. */
  void serve_after_end(std::string_view reason);

  // Measurer
  Status submit(std::span<const space::Configuration> batch) override;
  Result<std::vector<measure::Completed>> collect(std::chrono::milliseconds patience) override;
  measure::BatchProgress progress() const override;
  measure::BusyTimes take_busy_times() override;
  bool hold_back() override;
  void abort() override;
  void set_best_seconds(double) override {}
  void set_run_timeout(double) override {}

  // Observer
  void started(store::SessionId id, const store::SessionRecord& record) override;
  void batch_started(std::int32_t batch, std::size_t candidates) override;
  void trials_submitted(std::span<const std::int64_t> numbers) override;
  void trial_finished(const trial::Trial& trial, const store::SessionStatus& status) override;
  void progress(const measure::BatchProgress& batch, const store::SessionStatus& status) override;
  void message(const Message& message) override { lines_.write(message_line(message.text)); }

 private:
  struct Candidate {
    std::size_t position = 0;  ///< in the submitted batch
    space::Configuration configuration;
    bool handed_out = false;
  };

  void greet();
  void pass_on_stop();
  /** Returns why the client gets no further configurations; empty: it gets some. */
  std::string_view done_reason() const;
  /** Answers a line. @return the results that it reports, which are answered when they are stored */
  std::vector<measure::Completed> answer(const ClientLines::Received& received);
  void answer_hello(const HelloRequest& request);
  void answer_ask(const AskRequest& request);
  std::vector<measure::Completed> take_results(TellRequest request);
  std::optional<LineError> refusal(std::int64_t trial) const;
  /** Learns the units of metrics that are new. Refused: a known metric has another unit. */
  Status take_units(const TellRequest& request);
  void write_error(LineError kind, const Error& error) { lines_.write(error_line(kind, error)); }
  void update_busy();

  const Setup& setup_;
  ClientLines& lines_;
  const StopRequest& user_stop_;
  Clock clock_;
  Greeting greeting_;
  std::string hello_;  ///< the first line, until it is sent
  StopRequest stop_;
  bool client_ended_ = false;  ///< the client has closed its end
  bool held_back_ = false;     ///< no further configuration of the batch is handed out
  std::string session_ended_;  ///< why the session has ended; empty: it runs

  std::vector<std::int64_t> numbers_;         ///< of the batch that is submitted next, or is in progress
  std::map<std::int64_t, Candidate> open_;    ///< candidates without a result, by trial
  std::map<std::string, std::string> units_;  ///< by metric
  std::deque<std::int64_t> waiting_;          ///< open trials that were not handed out yet, in order
  std::size_t handed_out_ = 0;                ///< open trials that were handed out
  std::size_t finished_ = 0;                  ///< trials of the batch with a result
  std::int64_t trial_end_ = 0;                ///< above the numbers of all submitted trials
  std::vector<std::int64_t> unacknowledged_;  ///< stored trials of the last tell
  std::optional<double> busy_since_;          ///< since when a client measures
  double busy_seconds_ = 0;                   ///< not charged yet
};

}  // namespace kernelscape::session
