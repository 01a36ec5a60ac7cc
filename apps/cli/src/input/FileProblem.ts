/** What is wrong with a file, in words: the system's codes are for programs. */
import * as Schema from "effect/Schema"
import { Usage } from "../terminal/Failure.ts"

const known: Readonly<Record<string, string>> = {
  EACCES: "it is not permitted",
  EDQUOT: "no more room is granted there",
  EEXIST: "a file of that name is there",
  EFBIG: "it would be larger than a file may be",
  EIO: "the disk failed",
  EISDIR: "it is a folder",
  ELOOP: "it is a link that leads back to itself",
  EMFILE: "too many files are open",
  ENAMETOOLONG: "its name is too long",
  ENOENT: "there is no such file or folder",
  ENOSPC: "the disk is full",
  ENOTDIR: "a part of its path is no folder",
  EPERM: "it is not permitted",
  EROFS: "the disk can only be read"
}

/** Error for a file that was named rightly and could not be written: its disk is full, or failed. */
export class FileUnwritten extends Schema.TaggedError<FileUnwritten>("@backstitch/cli/FileUnwritten")("FileUnwritten", {
  file: Schema.String,
  problem: Schema.String
}) {
  override get message(): string {
    return `${this.file} cannot be written: ${this.problem}. Repeat when there is room`
  }
}

/** Tells wrong usage, such as a folder in the place of a file, from a disk that does not take what is written. */
export const unwritten = (file: string, cause: unknown): FileUnwritten | Usage => {
  const problem = say(cause)
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined
  return code === "ENOSPC" || code === "EDQUOT" || code === "EFBIG" || code === "EIO"
    ? new FileUnwritten({ file, problem })
    : new Usage({ problem: `${file} cannot be written: ${problem}` })
}

/** Says why a file could not be read or written. */
export const say = (cause: unknown): string => {
  if (!(cause instanceof Error)) return String(cause)
  const code = "code" in cause && typeof cause.code === "string" ? cause.code : ""
  // So Node answers where a folder cannot be made on a disk that can only be read.
  if (code === "ENOENT" && "syscall" in cause && cause.syscall === "mkdir") return "its folder cannot be made there"
  return known[code] ?? cause.message
}
