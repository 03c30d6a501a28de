#include <fmt/format.h>

#include <cerrno>
#include <memory>
#include <optional>

#include "app/command_line/command.h"
#include "app/command_line/console.h"
#include "app/command_line/export_model.h"
#include "app/command_line/shared_options.h"
#include "app/command_line/standard_output.h"
#include "core/exchange/export_formats.h"
#include "core/exchange/kernels/kernel_library.h"
#include "core/session/report.h"
#include "core/study/network_export.h"
#include "core/study/network_run.h"

namespace kernelscape::command_line {
namespace {

struct ExportOptions {
  std::string session;
  std::string network;
  std::string format;
  std::string out;
  std::optional<std::int64_t> trial;
  std::string filter;
  std::vector<std::string> columns;
  bool force = false;
  bool raw = false;
  bool vendor_where_faster = false;
  std::vector<std::string> dimensions;
  bool external_data_anywhere = false;
  bool exact = false;
  bool json = false;
  std::string database;
};

std::string export_format_help() {
  std::string text;
  for (const exchange::ExportFormat& format : exchange::export_formats())
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", format.name, format.summary);
  return text;
}

/** Refuses options of models for other exports. */
Status check_model_options(const CLI::App& command) {
  for (const char* name : {"--dim", "--external-data-anywhere", "--exact", "--json"}) {
    if (command.count(name) == 0) continue;
    return fail(ErrorCode::InvalidArgument,
                fmt::format("export: {} requires --network with an .onnx file that exists", name),
                "name a model's file, or leave it out");
  }
  return {};
}

/** The library of a whole model, or the kernels of a network's layers as one library. */
Result<int> export_network(const CLI::App& command, const ExportOptions& options) {
  for (const char* name : {"SESSION", "--format", "--trial", "--where", "--columns", "--raw"}) {
    if (command.count(name) == 0) continue;
    return fail(ErrorCode::InvalidArgument,
                fmt::format("export --network: {} applies to a single session", name),
                fmt::format("leave {} out: a network's kernels become a CMake library", name));
  }
  if (options.out.empty() || options.out == "-") {
    return fail(ErrorCode::InvalidArgument, "export --network: a library is a folder, not one text",
                "name a folder with --out");
  }
  if (is_model_file(options.network)) {
    if (options.vendor_where_faster)
      return fail(ErrorCode::InvalidArgument,
                  "export --network: a model's library takes no kernels of oneDNN",
                  "leave --vendor-where-faster out, or name the model's study");
    return export_model({.model = options.network,
                         .out = options.out,
                         .dimensions = options.dimensions,
                         .database = options.database,
                         .external_data_anywhere = options.external_data_anywhere,
                         .exact = options.exact,
                         .force = options.force,
                         .json = options.json});
  }
  TRY(check_model_options(command));
  const store::Store store = TRY(open_store(options.database));
  const store::StudyId id = TRY(study::find_network_study(store, options.network));
  study::NetworkKernels network = TRY(study::network_kernels(store, id));
  if (options.vendor_where_faster) TRY(study::take_vendor_where_faster(network));
  TRY(exchange::write_kernel_library(network.kernels, options.out,
                                     exchange::kernel_name(network.network.name), options.force,
                                     &network.network));
  for (const std::string& notice : network.notices) print_note(notice);
  for (const std::string& choice : study::choice_texts(network)) print("{}\n", message_text(choice));
  print("wrote {} kernels to {}\n", network.kernels.size(), options.out);
  return exit_done;
}

Result<int> export_one(const CLI::App& command, const ExportOptions& options) {
  if (command.count("SESSION") == 0 || command.count("--format") == 0) {
    return fail(ErrorCode::InvalidArgument, "export: SESSION and --format are required",
                "see `kernelscape export --help`; --network NAME takes the kernels of a network");
  }
  if (options.vendor_where_faster) {
    return fail(ErrorCode::InvalidArgument, "export: --vendor-where-faster requires --network",
                "leave it out: a session's kernel is always the tuned one");
  }
  TRY(check_model_options(command));
  const exchange::ExportFormat* format = TRY(exchange::find_export_format(options.format));
  const store::Store store = TRY(open_store(options.database));
  const store::SessionId id = TRY(find_one_session(store, options.session));
  exchange::ExportRequest request{.store = store, .session = id};
  request.trial = options.trial;
  request.filter = options.filter;
  request.columns = options.columns;
  request.raw = options.raw;
  request.path = options.out;
  request.force = options.force;
  if (format->one_trial && !request.trial) {
    const session::Report report = TRY(session::make_session_report(store, id));
    request.trial = report.best_trial;
  }
  std::vector<std::string> notices;
  request.notices = &notices;
  const Status exported = exchange::export_session(*format, request);
  // Its reader has seen enough.
  if (!exported && request.path == "-" && standard_output_error() == EPIPE) return exit_done;
  TRY(exported);
  for (const std::string& notice : notices) print_note(notice);
  if (request.path != "-") print("wrote {}\n", request.path);
  return exit_done;
}

}  // namespace

Command add_export_command(CLI::App& program) {
  auto options = std::make_shared<ExportOptions>();
  CLI::App* app = program.add_subcommand(
      "export",
      "Export a session's kernel, configuration or trials, the kernels of a network, or a whole model as a "
      "library");
  app->add_option("SESSION", options->session, "Its number or name");
  app->add_option(
         "--network", options->network,
         "Instead of SESSION: a model's .onnx file becomes a library that computes the whole model, with "
         "the kernels that were tuned for its layers; otherwise the kernels of all layers as one CMake "
         "library, from a study of `tune --network`, or from the newest study of a network")
      ->type_name("MODEL|STUDY|NAME");
  app->add_option(
         "--dim", options->dimensions,
         "For a model: size of a dynamic dimension; may be repeated; data[0]=1 names a dimension of an "
         "input")
      ->type_name("NAME=N")
      ->allow_extra_args(false);
  app->add_flag("--external-data-anywhere", options->external_data_anywhere,
                "For a model: allow weights in files outside of the model's folder");
  app->add_flag("--exact", options->exact,
                "For a model: leave out kernels with rounding errors of their own (Winograd's algorithm)");
  add_json_option(*app, options->json);
  app->add_flag("--vendor-where-faster", options->vendor_where_faster,
                "--network: use oneDNN's kernel for each layer where it is significantly faster; the library "
                "then builds only with oneDNN, and lists the kernel used for each layer");
  app->add_option("--format", options->format, export_format_help())->type_name("FORMAT");
  app->add_option("--out", options->out, "A file, or the folder of the kernel; - is standard output")
      ->required()
      ->type_name("PATH");
  app->add_option("--trial", options->trial, "Which trial (default: the best one)")
      ->type_name("N")
      ->check(whole_in_range(0, max_trials));
  app->add_option(
         "--where", options->filter,
         "For formats with many trials: only trials that satisfy this condition, such as \"gflops > 100\"")
      ->type_name("FILTER");
  app->add_option("--columns", options->columns, "csv: only these columns, in this order")
      ->delimiter(',')
      ->type_name("A,B");
  app->add_flag("--raw", options->raw,
                "csv: write texts that begin like a spreadsheet formula unchanged, for programs; without it "
                "they get a leading apostrophe");
  add_force_option(*app, options->force);
  add_database_option(*app, options->database);
  return {app, [app, options] {
            return options->network.empty() ? export_one(*app, *options) : export_network(*app, *options);
          }};
}

}  // namespace kernelscape::command_line
