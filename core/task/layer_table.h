#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/task/catalogue.h"
#include "core/task/task.h"

namespace kernelscape {

/** What kind of operator a layer is. */
enum class LayerKind : std::uint8_t { Convolution, MatrixMultiplication };

/** A layer of networks. */
struct LayerRow {
  TaskDefinition definition;  ///< a convolution or a multiplication
  OperandTypes types;
  double count = 1;  ///< how often it occurs
  std::string text;  ///< of the task, as Task has it

  /** Of the definition. */
  LayerKind kind() const {
    return std::holds_alternative<Convolution>(definition) ? LayerKind::Convolution
                                                           : LayerKind::MatrixMultiplication;
  }
  bool operator==(const LayerRow&) const = default;
};

/**
 * Layers and how often each occurs: what tasks are sampled from. A layer is one row, whatever it is called
 * and however often it was added: the counts add up.
 */
class LayerTable {
 public:
  static constexpr std::size_t most_rows = 1'000'000;
  static constexpr double largest_count = 1e12;

  /**
   * The layers of the catalogue's networks, each counted as often as it occurs. NotFound for an unknown
   * network.
   * @param networks names; empty: all
   */
  static Result<LayerTable> of_networks(const Catalogue& catalogue,
                                        std::span<const std::string> networks = {});

  /**
   * The catalogue's tasks whose names begin with one of the prefixes ("heron/", "transformer/"), each counted
   * once. NotFound for a prefix that no name has.
   */
  static Result<LayerTable> of_tasks(const Catalogue& catalogue, std::span<const std::string> prefixes);

  /**
   * A file of the user's: JSON (.json) as Catalogue::load_file reads it, its networks' layers by multiplicity
   * and all other tasks once; else CSV with one of these headers:
   *
   *   kind,H=W,CO,CI,K,stride,pad,count      conv2d,56,128,64,3,2,1,4      square, batch 1, f32
   *   task,count                             matmul 128x768 768x768 f32,48
   *
   * Kinds are conv2d, depthwise and winograd, which is a conv2d by how it was computed. An error names file,
   * line and what is wrong there.
   */
  static Result<LayerTable> read(const std::filesystem::path& path);

  /** InvalidArgument for a generic task, a count that is not positive, and more than most_rows rows. */
  Status add(const Task& task, double count);
  /** Adds the rows of another table. */
  Status add(const LayerTable& other);

  /** The rows of one kind. */
  LayerTable only(LayerKind kind) const;

  const std::vector<LayerRow>& rows() const { return rows_; }  ///< distinct, in the order added
  bool contains(std::string_view text) const { return positions_.contains(text); }  ///< a task's text
  double total_count() const;                                                       ///< of all rows

 private:
  Status add_row(LayerRow row);

  std::vector<LayerRow> rows_;
  std::map<std::string, std::size_t, std::less<>> positions_;  ///< of a text in rows_
};

}  // namespace kernelscape
