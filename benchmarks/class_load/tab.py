"""A tab of a browser that has logged in with the class code, and can bring files."""

import asyncio
import time
import uuid

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.Common_pb2 import FileUploaderState, FileURLs, UploadedFileInfo
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from benchmarks.class_load.files import File
from benchmarks.class_load.hosted import Browser
from benchmarks.run import Run
from benchmarks.session import RUN_SECONDS, Session
from benchmarks.widget import Widget

STORED = 204  # the status that answers a file


class Tab(Session):
    """A tab.

    Args:
        port: Of the server.
        browser: Has the cookies.
    """

    def __init__(self, port: int, browser: Browser) -> None:
        super().__init__(port, browser.headers)
        self.browser = browser
        self.session = ""  # Streamlit's id
        self._upload_urls: list[FileURLs] = []
        self._uploads: dict[str, FileURLs] = {}  # by the id of its uploader

    def on_message(self, message: ForwardMsg) -> None:
        """Notice the session's id, and where a file may go."""
        match message.WhichOneof("type"):
            case "new_session":
                self.session = message.new_session.initialize.session_id or self.session
            case "file_urls_response":
                self._upload_urls += message.file_urls_response.file_urls

    def by_key(self, key: str) -> Widget | None:
        """A control on the screen."""
        return next((each for each in self.widgets.values() if each.key == key), None)

    async def upload(self, uploader: Widget, file: File) -> Run:
        """Choose a file: ask where it may go, send it, tell the page.

        Returns:
            What the page draws then; it counts from the choice.
        """
        run = Run(asked=time.perf_counter())
        place = await self._request_upload_url(file)
        status = await self.browser.put(place.upload_url, file.name, file.data)
        if status != STORED:
            run.finished = run.asked
            run.errors.append(f"the file is answered by {status}")
            return run
        earlier = self._uploads.get(uploader.id)
        if earlier is not None and uploader.id in self.values:
            await self.browser.delete(earlier.delete_url)
        self._uploads[uploader.id] = place
        uploaded = UploadedFileInfo(
            file_id=place.file_id, name=file.name, size=len(file.data), file_urls=place
        )
        state = FileUploaderState(uploaded_file_info=[uploaded])
        drawn = await self.give(uploader, ("file_uploader_state_value", state))
        drawn.asked = run.asked
        return drawn

    async def _request_upload_url(self, file: File) -> FileURLs:
        request = BackMsg()
        request.file_urls_request.request_id = uuid.uuid4().hex
        request.file_urls_request.session_id = self.session
        request.file_urls_request.file_names.append(file.name)
        self._upload_urls.clear()
        await self._socket.send(request.SerializeToString())
        async with asyncio.timeout(RUN_SECONDS):
            while not self._upload_urls:
                self._receive(await self._socket.recv(), Run(asked=0.0))
        return self._upload_urls[0]
