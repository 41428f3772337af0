/** What the disk says, as far as following needs it. */
export interface Disk {
  isFolder(path: string): boolean;
  isFile(path: string): boolean;
  read(path: string): string | undefined;
  /** The folder of the git repository that this one is in. */
  repositoryOf(folder: string): string | undefined;
  isInProject(path: string): boolean;
}
