/** The start of links that make a program install an MCP server. The program asks before it does. */
export const installLinks = {
  vscode: 'vscode:mcp/install?',
  cursor: 'cursor://anysphere.cursor-deeplink/mcp/install?',
} as const
