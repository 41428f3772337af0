/** The view of the disk that following a command needs. */
export interface Disk {
  isFolder(path: string): boolean;
  isFile(path: string): boolean;
  read(path: string): string | undefined;
  /** Returns the root folder of the git repository that contains this folder. */
  repositoryOf(folder: string): string | undefined;
  isInProject(path: string): boolean;
}
