#include "core/graph/optimise.h"

#include <algorithm>
#include <span>
#include <utility>

#include "core/graph/node_checks.h"
#include "core/graph/passes/passes.h"

namespace kernelscape::graph {
namespace {

/** Runs a pass and adds what it did to its report. */
Status run_and_report(const passes::Pass& pass, passes::Rewriter& rewriter,
                      std::vector<PassReport>& reports) {
  auto report = std::ranges::find(reports, pass.name, &PassReport::pass);
  if (report == reports.end())
    report = reports.insert(reports.end(), {.pass = std::string(pass.name), .removed = {}, .added = 0});
  rewriter.removed.clear();
  rewriter.added = 0;
  TRY(pass.run(rewriter));
  report->removed.insert(report->removed.end(), rewriter.removed.begin(), rewriter.removed.end());
  report->added += rewriter.added;
  rewriter.sort();
  return {};
}

}  // namespace

Result<OptimisationReport> optimise(Graph& graph) {
  // Each round makes something smaller or moves it towards the outputs; the bound is for what was overlooked.
  constexpr int max_rounds = 50;
  TRY(validate(graph));
  TRY(check_nodes(graph));
  OptimisationReport report;
  passes::Rewriter rewriter(graph);
  std::size_t changes_before = 1;
  for (int round = 0; round < max_rounds && rewriter.changes != changes_before; ++round) {
    changes_before = rewriter.changes;
    for (const passes::Pass& pass : passes::simplifying_passes())
      TRY(run_and_report(pass, rewriter, report.passes));
  }
  for (const passes::Pass& pass : passes::fusing_passes()) TRY(run_and_report(pass, rewriter, report.passes));
  for (std::size_t i = 0; i < rewriter.node_count(); ++i) {
    std::vector<ModelNode>& origins = report.nodes.emplace_back();
    for (const std::size_t number : rewriter.origins(i))
      origins.push_back({number, graph.nodes[number].name, graph.nodes[number].operation});
  }
  Graph optimised = rewriter.finish();
  TRY(validate(optimised));
  graph = std::move(optimised);
  return report;
}

}  // namespace kernelscape::graph
