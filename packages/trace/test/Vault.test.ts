import { suite } from "../../conformance/src/VaultSuite.ts"
import * as Vault from "../src/Vault.ts"

suite("memory", Vault.layerMemory)
