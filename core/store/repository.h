#pragma once

namespace kernelscape::store {

struct Connection;

/**
 * Base of the classes that read and write one subject of a database: Sessions, Trials, Studies and others. A
 * repository has no state besides a pointer to the connection, and Store::sessions() and its neighbours
 * return the repositories of an open database. A reference to such a repository is valid until its Store is
 * destroyed or assigned to, also after the Store was moved. A repository is not copied, so that a const Store
 * gives no access to the functions that write.
 */
class Repository {
 public:
  /** @param connection an open database, which outlives the repository */
  explicit Repository(Connection& connection) : connection_(&connection) {}
  Repository(const Repository&) = delete;
  Repository& operator=(const Repository&) = delete;

 protected:
  ~Repository() = default;

  Connection* connection_;
};

}  // namespace kernelscape::store
