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

namespace kernelscape::task {

/** The kind of operator of a layer. */
enum class LayerKind : std::uint8_t { Convolution, MatrixMultiplication };

/** A layer of networks with its frequency. */
struct LayerRow {
  Definition definition;  ///< a convolution or a multiplication
  OperandTypes types;
  double count = 1;  ///< how often the layer occurs
  std::string text;  ///< Task::text of the layer

  /** Returns the kind of the definition. */
  LayerKind kind() const {
    return std::holds_alternative<Convolution>(definition) ? LayerKind::Convolution
                                                           : LayerKind::MatrixMultiplication;
  }
  bool operator==(const LayerRow&) const = default;
};

/**
 * Layers and how often each occurs: the table from which tasks are sampled. Equal layers are one row,
 * whatever their names are and however often they are added: their counts are added.
 */
class LayerTable {
 public:
  static constexpr std::size_t max_rows = 1'000'000;
  static constexpr double largest_count = 1e12;

  /**
   * Returns the layers of the catalogue's networks, each counted as often as it occurs. Returns NotFound for
   * an unknown network. @param networks names; empty: all
   */
  static Result<LayerTable> of_networks(const Catalogue& catalogue,
                                        std::span<const std::string> networks = {});

  /**
   * Returns the catalogue's tasks whose names begin with one of the prefixes ("heron/", "transformer/"), each
   * counted once. Returns NotFound if no name begins with a prefix.
   */
  static Result<LayerTable> of_tasks(const Catalogue& catalogue, std::span<const std::string> prefixes);

  /**
   * Reads a file of the user: JSON (.json) in the form of Catalogue::load_file, with the layers of its
   * networks counted by multiplicity and all other tasks once; else CSV with one of these headers:
   *
   *   kind,H=W,CO,CI,K,stride,pad,count      conv2d,56,128,64,3,2,1,4      square, batch 1, f32
   *   task,count                             matmul 128x768 768x768 f32,48
   *
   * Kinds are conv2d, depthwise and winograd, which is a conv2d that was computed with another algorithm. An
   * error names the file, the line and the reason.
   */
  static Result<LayerTable> read(const std::filesystem::path& path);

  /**
   * Adds a layer. Returns InvalidArgument for a generic task, a count that is not positive, and more than
   * max_rows rows.
   */
  Status add(const Task& task, double count);
  /** Adds the rows of another table. */
  Status add(const LayerTable& other);

  /** Returns the rows of one kind. */
  LayerTable only(LayerKind kind) const;

  const std::vector<LayerRow>& rows() const { return rows_; }  ///< distinct, in the order added
  bool contains(std::string_view text) const { return positions_.contains(text); }  ///< a task's text
  double total_count() const;                                                       ///< of all rows

 private:
  Status add_row(LayerRow row);

  std::vector<LayerRow> rows_;
  std::map<std::string, std::size_t, std::less<>> positions_;  ///< index in rows_ by text
};

}  // namespace kernelscape::task
