import packageJson from '../../package.json' with { type: 'json' }

/** The version of this program, from package.json. */
export const version: string = packageJson.version
