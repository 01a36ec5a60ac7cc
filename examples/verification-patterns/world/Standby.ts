/**
 * A real standby of a Postgres server: a copy of its files that replays everything that the server had written by
 * then. It waits for more, which never comes, like a replica whose line is cut.
 */
import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { promisify } from "node:util"
import Pg from "pg"
import { freePort } from "../../../tooling/src/freePort.ts"

/** A standby that runs. */
export interface Standby {
  readonly port: number
  readonly stop: () => Promise<void>
}

const connectsMax = 200

/** Copies the files of a server while it writes, by its backup protocol. */
const copyOf = async (primary: Pg.Client, folder: string, data: string): Promise<string> => {
  const copy = Path.join(folder, "data")
  const run = promisify(execFile)
  // Files that the server removes meanwhile make cp complain, and are not needed.
  const copies = (from: string, to: string) => run("cp", ["-a", from, to]).catch(() => undefined)
  await primary.query("select pg_backup_start('standby', true)")
  await copies(data, copy)
  const { rows } = await primary.query<{ readonly labelfile: string }>("select labelfile from pg_backup_stop(false)")
  await copies(`${Path.join(data, "pg_wal")}/.`, Path.join(copy, "pg_wal"))
  Fs.rmSync(Path.join(copy, "postmaster.pid"), { force: true })
  const { gid, uid } = Fs.statSync(data)
  for (const [name, text] of [
    ["backup_label", rows[0]?.labelfile ?? ""],
    ["standby.signal", ""]
  ] as const) {
    Fs.writeFileSync(Path.join(copy, name), text)
    Fs.chownSync(Path.join(copy, name), uid, gid)
  }
  return copy
}

const isUp = async (url: string): Promise<boolean> => {
  const client = new Pg.Client({ connectionString: url })
  client.on("error", () => undefined)
  try {
    await client.connect()
    await client.end()
    return true
  } catch {
    return false
  }
}

/** Starts a standby; `undefined` if the server's files cannot be read. */
export const start = async (primary: Pg.Client, url: string): Promise<Standby | undefined> => {
  const show = async (query: string): Promise<string> => String(Object.values((await primary.query(query)).rows[0])[0])
  if ((await show("select rolsuper from pg_roles where rolname = current_user")) !== "true") return undefined
  const data = await show("show data_directory")
  const bin = await show("select setting from pg_config where name = 'BINDIR'")
  const postgres = Path.join(bin, "postgres")
  if (!Fs.existsSync(data) || !Fs.existsSync(postgres)) return undefined
  const folder = Fs.mkdtempSync(Path.join(Os.tmpdir(), "backstitch-standby-"))
  const { gid, uid } = Fs.statSync(data)
  Fs.chownSync(folder, uid, gid)
  const copy = await copyOf(primary, folder, data)
  const port = await freePort()
  const settings = [
    `port=${port}`,
    "listen_addresses=127.0.0.1",
    "unix_socket_directories=",
    `max_connections=${await show("show max_connections")}`
  ]
  const child = spawn(postgres, ["-D", copy, ...settings.flatMap((each) => ["-c", each])], {
    stdio: "ignore",
    ...(process.getuid?.() === 0 ? { uid, gid } : {})
  })
  const ended = once(child, "exit")
  const stop = async () => {
    child.kill("SIGINT")
    await ended
    Fs.rmSync(folder, { recursive: true, force: true })
  }
  const address = new URL(url)
  address.port = String(port)
  for (let attempt = 0; attempt < connectsMax && child.exitCode === null; attempt++) {
    if (await isUp(address.href)) return { port, stop }
    await sleep(50)
  }
  await stop()
  throw new Error("The standby did not take connections")
}
