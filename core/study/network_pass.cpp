#include "core/study/network_pass.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/analysis/order_statistics.h"
#include "core/base/numbers.h"
#include "core/base/temporary_folder.h"
#include "core/base/text.h"
#include "core/measure/cpu/confined_command.h"
#include "core/measure/cpu/cpu_target.h"
#include "core/measure/worker/timing_mark.h"
#include "core/session/targets.h"
#include "core/space/knob_json.h"
#include "core/study/confined_build.h"
#include "core/study/execution.h"
#include "core/study/network_export.h"

namespace kernelscape::study {
namespace {

constexpr const char* answer_file = "pass.json";
constexpr const char* onednn_source = "pass_onednn.cpp";
constexpr const char* vendors_object = "vendor.o";

/** Reads one side's members of the JSON that the program writes. */
Status read_side(const space::Json& json, const std::string& prefix, PassSide& side) {
  const auto numbers = [&](const std::string& name, std::vector<double>& values) -> Status {
    const space::Json* found = space::member_of(json, name);
    const bool good = found != nullptr && found->is_array() && !found->empty() && found->size() <= 1000 &&
                      std::ranges::all_of(*found, [](const space::Json& value) {
                        return value.is_number() && value.get<double>() >= 0 && value.get<double>() < 1e6;
                      });
    if (!good) return fail(ErrorCode::InvalidArgument, fmt::format("the pass has no valid \"{}\"", name));
    values = found->get<std::vector<double>>();
    return {};
  };
  const space::Json* conversions = space::member_of(json, prefix + "conversions");
  if (conversions == nullptr || !conversions->is_number_integer() || conversions->get<std::int64_t>() < 0)
    return fail(ErrorCode::InvalidArgument, fmt::format("the pass has no \"{}conversions\"", prefix));
  side.conversions = conversions->get<std::int64_t>();
  TRY(numbers(prefix + "seconds", side.seconds));
  TRY(numbers(prefix + "conversion_seconds", side.conversion_seconds));
  if (side.conversion_seconds.size() == side.seconds.size()) return {};
  return fail(ErrorCode::InvalidArgument,
              "the pass has different numbers of conversion times and pass times");
}

void write_side(const PassSide& side, const std::string& prefix, space::Json& json) {
  json[prefix + "conversions"] = side.conversions;
  json[prefix + "seconds"] = side.seconds;
  json[prefix + "conversion_seconds"] = side.conversion_seconds;
}

std::string text_or_empty(const space::Json& json, const char* name) {
  const space::Json* found = space::member_of(json, name);
  return found != nullptr && found->is_string() ? found->get<std::string>() : std::string();
}

std::vector<std::string> texts_or_none(const space::Json& json, const char* name) {
  std::vector<std::string> texts;
  const space::Json* found = space::member_of(json, name);
  if (found == nullptr || !found->is_array()) return texts;
  for (const space::Json& text : *found)
    if (text.is_string()) texts.push_back(text.get<std::string>());
  return texts;
}

/** Builds the files of a library into its program `pass`. */
class PassBuild {
 public:
  PassBuild(std::string folder, std::string compiler, const NetworkKernels& network, int threads,
            const session::StopRequest& stop)
      : build_(std::move(folder), std::move(compiler), threads, stop), network_(network), threads_(threads) {}

  /** Builds and runs the program. Returns why there is no vendor's pass, or an empty text if there is one. */
  Result<std::string> run() {
    const std::string name = exchange::kernel_name(network_.network.name);
    const std::vector<exchange::ExportedFile> files =
        TRY(exchange::kernel_library_files(network_.kernels, name, &network_.network));
    if (std::ranges::find(files, "pass.c", &exchange::ExportedFile::name) == files.end())
      return fail(ErrorCode::Refused, fmt::format("there is no pass over {}", network_.network.name),
                  "its kernels are for a GPU or have types other than f32, or it has too many calls");
    for (const exchange::ExportedFile& file : files)
      if (const int error = measure::write_private_file(build_.folder() + "/" + file.name, file.text);
          error != 0)
        return fail(ErrorCode::Environment,
                    fmt::format("the library cannot be written into {}", build_.folder()),
                    "free some space there, or set TMPDIR to another folder");
    list_objects(name);
    TRY(build_.compile_all(sources_));
    if (has_vendors()) TRY(compile_vendors(name + "_vendor.cpp"));
    std::string problem = link_with_vendor();
    if (!problem.empty()) TRY(link_alone());
    return problem;
  }

  Result<MeasuredPass> measure(int rounds) {
    std::vector<std::string> environment = measure::confined_environment(build_.folder());
    // The program sets these variables itself if it needs them.
    std::erase_if(environment, [](const std::string& text) {
      return text.starts_with("OMP_") || text.starts_with("PASS_PROCESSORS=");
    });
    measure::TimingMark mark;
    const measure::TimingMark::Scope timing(mark);
    TRY(build_.run_program(
        {build_.folder() + "/pass", "--json", "--rounds", std::to_string(rounds), std::to_string(threads_)},
        std::move(environment), answer_file));
    return network_pass_from_json(build_.text_of(answer_file));
  }

 private:
  void list_objects(const std::string& name) {
    const std::vector<std::string> first = network_.kernels.front().source.flags.words();
    for (const exchange::ExportedKernel& kernel : network_.kernels) {
      if (kernel.is_vendors()) continue;
      sources_.push_back({kernel.name + ".c", kernel.source.flags.words()});
    }
    sources_.push_back({name + "_conversions.c", first});
    sources_.push_back({name + "_table.c", {"-O2"}});
  }

  bool has_vendors() const {
    return std::ranges::any_of(network_.kernels, &exchange::ExportedKernel::is_vendors);
  }

  std::vector<std::string> objects() const {
    std::vector<std::string> objects;
    for (const ConfinedSource& source : sources_) objects.push_back(source.file + ".o");
    if (has_vendors()) objects.emplace_back(vendors_object);
    return objects;
  }

  /** Returns the compiler options of the program, with its thread team. */
  std::vector<std::string> pass_words() const {
    std::vector<std::string> flags{"-O2"};
    if (has_vendors()) flags.emplace_back("-fopenmp");
    return build_.compiler_words(flags);
  }

  Status compile_vendors(const std::string& file) const {
    if (build_.run_compiler({"c++", "-std=c++17", "-O2", "-fopenmp", "-c", file, "-o", vendors_object}))
      return {};
    return fail(ErrorCode::Environment,
                "some layers use oneDNN, but its headers or a C++ compiler with OpenMP are "
                "missing here",
                "install libdnnl-dev and g++, or run the pass without the vendor's kernels");
  }

  /** Links with oneDNN, whose C++ needs a different compiler. Returns why that is not possible. */
  std::string link_with_vendor() const {
    const Status compiled =
        build_.run_compiler({"c++", "-std=c++17", "-O2", "-c", onednn_source, "-o", "pass_onednn.o"});
    if (!compiled) return "oneDNN's headers or a C++ compiler are missing here (libdnnl-dev, g++)";
    std::vector<std::string> pass = pass_words();
    for (const char* word : {"-DPASS_ONEDNN", "-c", "pass.c", "-o", "pass.o"}) pass.emplace_back(word);
    if (const Status built = build_.run_compiler(std::move(pass)); !built) return built.error().message;
    std::vector<std::string> link{"c++", "-o", "pass", "pass.o", "pass_onednn.o"};
    std::ranges::copy(objects(), std::back_inserter(link));
    if (has_vendors()) link.emplace_back("-fopenmp");
    for (const char* word : {"-ldnnl", "-lm", "-pthread"}) link.emplace_back(word);
    if (const Status linked = build_.run_compiler(std::move(link)); !linked)
      return "oneDNN's library is missing here (libdnnl-dev)";
    return {};
  }

  Status link_alone() const {
    std::vector<std::string> link = pass_words();
    for (const char* word : {"-o", "pass", "pass.c"}) link.emplace_back(word);
    std::ranges::copy(objects(), std::back_inserter(link));
    if (has_vendors())
      for (const char* word : {"-ldnnl", "-lstdc++"}) link.emplace_back(word);
    for (const char* word : {"-lm", "-pthread"}) link.emplace_back(word);
    return build_.run_compiler(std::move(link));
  }

  ConfinedBuild build_;
  const NetworkKernels& network_;
  int threads_;
  std::vector<ConfinedSource> sources_;
};

/** Returns the compiler of this machine if its kernels can run here. */
Result<std::string> compiler_for(const NetworkKernels& network) {
  for (const exchange::ExportedKernel& kernel : network.kernels) {
    const schedule::TargetDescription& target = kernel.measured.target;
    if (target.kind == schedule::TargetKind::Cpu && !target.architecture_only) continue;
    return fail(ErrorCode::Refused,
                fmt::format("the kernels of {} are for {}", network.network.name, target.name),
                "a pass runs on CPUs");
  }
  const schedule::TargetDescription here = TRY(measure::describe_cpu_target());
  const schedule::TargetDescription& there = network.kernels.front().measured.target;
  if (here.device == there.device && here.isa == there.isa) return here.compiler;
  return fail(ErrorCode::Refused,
              fmt::format("{} was tuned on {}, but this machine is {}", network.network.name, there.device,
                          here.device),
              "export the library with `kernelscape export --network`, and run its pass on that machine");
}

}  // namespace

std::optional<double> MeasuredPass::share_of_vendor() const {
  if (vendor.seconds.empty() || ours.seconds.empty()) return std::nullopt;
  const double own = analysis::quartiles(ours.seconds).median;
  if (!(own > 0)) return std::nullopt;
  return analysis::quartiles(vendor.seconds).median / own;
}

std::vector<std::string> pass_sentences(const MeasuredPass& pass) {
  const auto took = [](const PassSide& side) {
    const analysis::Quartiles seconds = analysis::quartiles(side.seconds);
    return fmt::format("{} [{}, {}], of which {} conversion{} of layouts {}",
                       base::quantity_text(seconds.median, "s"), base::quantity_text(seconds.first, "s"),
                       base::quantity_text(seconds.third, "s"), side.conversions,
                       side.conversions == 1 ? "" : "s",
                       base::quantity_text(analysis::quartiles(side.conversion_seconds).median, "s"));
  };
  std::vector<std::string> sentences = pass.choices;
  if (!pass.choices.empty())
    sentences.emplace_back(
        "This pass used the library with these choices, and is not stored as the network's.");
  sentences.push_back(fmt::format("One pass over {} calls with cold weights, {} thread{}: {}.", pass.calls,
                                  pass.threads, pass.threads == 1 ? "" : "s", took(pass.ours)));
  if (const std::optional<double> share = pass.share_of_vendor()) {
    sentences.push_back(fmt::format("{} in the same order: {}; the kernels reach {} of its speed.",
                                    pass.vendor_name, took(pass.vendor), base::percent_text(*share)));
  } else {
    sentences.push_back(fmt::format("There is no vendor's pass: {}.", pass.vendor_problem));
  }
  if (!pass.order_known) {
    sentences.emplace_back(
        "The order in which the network calls its layers is not known: no conversions between them are "
        "included.");
  }
  if (!pass.left_out.empty())
    sentences.push_back(
        fmt::format("{} without a kernel {} not included.",
                    pass.left_out.size() == 1 ? "One layer" : fmt::format("{} layers", pass.left_out.size()),
                    pass.left_out.size() == 1 ? "is" : "are"));
  return sentences;
}

std::string network_pass_to_json(const MeasuredPass& pass) {
  space::Json json{{"measured_utc", pass.measured_utc},
                   {"threads", pass.threads},
                   {"calls", pass.calls},
                   {"order_known", pass.order_known},
                   {"left_out", pass.left_out}};
  write_side(pass.ours, "", json);
  if (!pass.vendor.seconds.empty()) {
    json["vendor"] = pass.vendor_name;
    write_side(pass.vendor, "vendor_", json);
  }
  if (!pass.vendor_problem.empty()) json["vendor_problem"] = pass.vendor_problem;
  if (!pass.choices.empty()) json["choices"] = pass.choices;
  return json.dump(-1, ' ', false, space::Json::error_handler_t::replace);
}

Result<MeasuredPass> network_pass_from_json(std::string_view text) {
  const space::Json json = space::parse_json(text);
  MeasuredPass pass;
  const space::Json* threads = space::member_of(json, "threads");
  const space::Json* calls = space::member_of(json, "calls");
  const auto is_count = [](const space::Json* value) {
    return value != nullptr && value->is_number_integer() && value->get<std::int64_t>() >= 1 &&
           value->get<std::int64_t>() <= 1'000'000;
  };
  if (!is_count(threads) || !is_count(calls))
    return fail(ErrorCode::InvalidArgument, "it is not the result of a pass over a network");
  pass.threads = threads->get<int>();
  pass.calls = calls->get<std::int64_t>();
  TRY(read_side(json, "", pass.ours));
  pass.vendor_name = text_or_empty(json, "vendor");
  pass.vendor_problem = text_or_empty(json, "vendor_problem");
  pass.measured_utc = text_or_empty(json, "measured_utc");
  if (!pass.vendor_name.empty()) TRY(read_side(json, "vendor_", pass.vendor));
  if (const space::Json* known = space::member_of(json, "order_known");
      known != nullptr && known->is_boolean())
    pass.order_known = known->get<bool>();
  pass.left_out = texts_or_none(json, "left_out");
  pass.choices = texts_or_none(json, "choices");
  return pass;
}

Result<std::optional<MeasuredPass>> stored_network_pass(const store::Store& store, store::StudyId id) {
  const std::optional<std::string> json = TRY(store.studies().measure(id, network_pass_kind));
  if (!json) return std::nullopt;
  return TRY(network_pass_from_json(*json));
}

Result<measure::DeviceLease> lease_device(const schedule::TargetDescription& target, std::string_view work,
                                          const session::StopRequest& stop, const PassDevice& device) {
  measure::DeviceLease::Request request;
  request.device = session::leased_device(target);
  request.holder = fmt::format("{}, process {}", work, getpid());
  request.give_up = [&stop] { return stop.level() > 0; };
  request.waiting = [&](const std::string& holder) {
    if (device.awaited) device.awaited(session::device_wait_text(request.device, holder));
  };
  measure::DeviceLease lease = TRY(measure::DeviceLease::acquire(request));
  if (device.used) device.used();
  return lease;
}

Result<MeasuredPass> measure_network_pass(store::Store& store, store::StudyId id, int rounds,
                                          const session::StopRequest& stop, bool vendor_where_faster,
                                          const PassDevice& device) {
  NetworkKernels network = TRY(network_kernels(store, id));
  if (vendor_where_faster) TRY(take_vendor_where_faster(network));
  const std::string compiler = TRY(compiler_for(network));
  const measure::DeviceLease lease =
      TRY(lease_device(network.kernels.front().measured.target,
                       fmt::format("a pass over {}", network.network.name), stop, device));
  const base::TemporaryFolder folder = TRY(base::TemporaryFolder::make("pass"));
  PassBuild build(folder.path(), compiler, network, exchange::max_threads(network.kernels), stop);
  const std::string vendor_problem = TRY(build.run());
  if (stop.level() > 0) return build_stopped();
  MeasuredPass pass = TRY(build.measure(rounds));
  pass.measured_utc = base::utc_now();
  pass.order_known = network.network.order.known;
  pass.left_out = network.network.order.left_out;
  if (!vendor_problem.empty()) pass.vendor_problem = vendor_problem;
  pass.choices = choice_texts(network);
  if (!vendor_where_faster)
    TRY(store.studies().save_measure(id, network_pass_kind, network_pass_to_json(pass)));
  return pass;
}

}  // namespace kernelscape::study
