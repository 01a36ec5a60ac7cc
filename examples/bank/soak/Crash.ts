/**
 * Crashes a Postgres server as a failure does: one of its processes is killed with SIGKILL, and the server ends all
 * its other processes, recovers from its log, and accepts connections again.
 */
import pg from "pg"

/** Crashes a server of this machine, at its own address and not through a proxy. */
export const crash = async (url: string): Promise<void> => {
  const client = new pg.Client(url)
  // The crash ends this connection, too.
  client.on("error", () => undefined)
  await client.connect()
  const { rows } = await client.query<{ readonly pid: number }>("SELECT pg_backend_pid() AS pid")
  const pid = rows[0]?.pid
  if (pid !== undefined) process.kill(pid, "SIGKILL")
  await client.end().catch(() => undefined)
}
