/** Takes the write lock of a file, says so, and keeps it until the first byte of standard input. */
import { DatabaseSync } from "node:sqlite"

const database = new DatabaseSync(process.argv[2]!)
database.exec("begin immediate")
process.stdout.write("held\n")
process.stdin.once("data", () => {
  database.exec("rollback")
  database.close()
  process.stdout.write("released\n", () => process.exit(0))
})
