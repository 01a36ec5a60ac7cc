/** The machine on which the figures were measured, without which the numbers mean little. */
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import * as Statistics from "./Statistics.ts"

/** The properties of a machine on which the figures depend. */
export interface Machine {
  readonly processors: string
  readonly memoryGigabytes: number
  readonly platform: string
  readonly node: string
  readonly sqlite: string
  /** One append of 4 KiB with a flush; the median of 200. */
  readonly flushMillis: number
  readonly loadBefore: number
}

/** Describes the machine, and measures a flush in a folder. */
export const look = (folder: string): Machine => ({
  processors: `${Os.cpus().length} × ${Os.cpus()[0]?.model ?? "unknown"}`,
  memoryGigabytes: Math.round(Os.totalmem() / 2 ** 30),
  platform: `${Os.platform()} ${Os.release()} ${Os.arch()}`,
  node: process.versions.node,
  sqlite: process.versions["sqlite"] ?? "unknown",
  flushMillis: flush(folder),
  loadBefore: Os.loadavg()[0] ?? 0
})

/** Folder of a RAM disk, where a flush takes no time. `undefined` if there is none. */
export const ramDisk = (): string | undefined => {
  const folder = "/dev/shm"
  return Fs.existsSync(folder) && Fs.statfsSync(folder).type === tmpfs ? folder : undefined
}

/** Runs a function with a folder on a RAM disk, and removes the folder. `undefined` if there is none. */
export const onRamDisk = async <A>(work: (folder: string) => Promise<A>): Promise<A | undefined> => {
  const disk = ramDisk()
  if (disk === undefined) return undefined
  const folder = Fs.mkdtempSync(Path.join(disk, "backstitch-bench-"))
  try {
    return await work(folder)
  } finally {
    Fs.rmSync(folder, { recursive: true, force: true })
  }
}

/** The number of that file system in Linux. */
const tmpfs = 0x01021994

const flush = (folder: string): number => {
  const file = Fs.openSync(Path.join(folder, "flush"), "w")
  const block = Buffer.alloc(4096, 1)
  const times: Array<number> = []
  for (let turn = 0; turn < 200; turn++) {
    const began = performance.now()
    Fs.writeSync(file, block)
    Fs.fdatasyncSync(file)
    times.push(performance.now() - began)
  }
  Fs.closeSync(file)
  return Number(Statistics.median(times).toFixed(3))
}
