/**
 * Writes a file into a sandbox, proven by the path with its links resolved, and by the earlier content of the
 * sandbox.
 */
import { createHash } from "node:crypto"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import type { JsonObject } from "@backstitch/trace/Canonical"
import * as Proven from "./Proven.ts"

/** A file to be written, by its name in the sandbox. */
export interface File {
  readonly name: string
  readonly text: string
}

/** The arguments of the tool: the file, its digest and its size. */
export const args = (file: File) => ({
  ...file,
  hash: hash(Buffer.from(file.text)),
  size: Buffer.byteLength(file.text)
})

/** The tool, in a sandbox. The files that it may remove are named; a file that it writes has one of two extensions. */
export const write = (root: string, removable: ReadonlyArray<string> = []): Proven.Proven => {
  let before: ReadonlyArray<string> = []
  return {
    contract: Proven.contract("filesystem", {
      class: "ephemeral_write",
      input: { name: "string", text: "string", hash: "string", size: "int" },
      identity: ["name"],
      target: "'file/' + args.name",
      options: {
        wants: {
          root: `'${root}'`,
          hash: "args.hash",
          extensions: "['txt', 'csv']",
          mode: "'0600'",
          removable: `[${removable.map((path) => `'${path}'`).join(", ")}]`,
          paths: `['${root}/' + args.name]`,
          size: "args.size"
        },
        confirm: ["allowlisted", "size", "no_link"],
        within: "200ms"
      }
    }),
    code: {
      execute: async ({ name, text }: File) => {
        before = await manifest(root)
        const target = Path.resolve(root, name)
        await Fs.mkdir(Path.dirname(target), { recursive: true })
        await Fs.writeFile(target, text, { mode: 0o600 })
        return { path: target }
      },
      readback: (_, { name }: File) => look(root, name, before)
    }
  }
}

/** Reads the file at a path after every link on the way is followed; `undefined` if there is none. */
const look = async (root: string, name: string, before: ReadonlyArray<string>): Promise<JsonObject | undefined> => {
  const asked = Path.resolve(root, name)
  const real = await Fs.realpath(asked).catch(() => undefined)
  if (real === undefined) return undefined
  const [content, { mode, size }, now] = [await Fs.readFile(real), await Fs.stat(real), await manifest(root)]
  return {
    path: real,
    link: real !== asked,
    hash: hash(content),
    size,
    extension: Path.extname(real).slice(1),
    mode: `0${(mode & 0o777).toString(8)}`,
    removed: before.filter((each) => !now.includes(each))
  }
}

/** The files of a sandbox. */
const manifest = async (root: string): Promise<ReadonlyArray<string>> => {
  const entries = await Fs.readdir(root, { recursive: true, withFileTypes: true })
  return entries.flatMap((entry) => (entry.isFile() ? [Path.join(entry.parentPath, entry.name)] : []))
}

const hash = (content: Buffer): string => createHash("sha256").update(content).digest("hex")
